// The link that seats a friend, until the friend has come.

import { button, h, icon } from "./dom.js";
import { t } from "./language.js";

export function invitationPanel(link, copied) {
  const field = h("input", { id: "invitation", class: "link", readonly: true, value: link, "data-focus": "invitation", on: { focus: (event) => event.target.select() } });
  const copy = button("copy", t("invite.copy"), async () => {
    field.select();
    try {
      await navigator.clipboard.writeText(link);
    } catch {
      document.execCommand("copy");
    }
    copied();
  }, { class: "primary" });
  const share = navigator.share && button("share", t("invite.share"), () => navigator.share({ title: t("title"), url: link }).catch(() => {}));
  return h(
    "section",
    { class: "panel invitation", "aria-labelledby": "invitation-title" },
    h("h2", { id: "invitation-title" }, icon("link"), h("span", { text: t("invite.title") })),
    h("label", { for: "invitation", text: t("invite.text") }),
    h("div", { class: "link-row" }, field, copy, share),
    h("p", { class: "hint", text: t("invite.secret") }),
  );
}
