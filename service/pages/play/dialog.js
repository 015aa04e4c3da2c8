// A window over the page: one at a time, closed by its button, by Escape, or by a click beside it.

import { button, h, icon } from "./dom.js";
import { t } from "./language.js";

/** Opens a window and answers it; `body` may be filled later. */
export function openDialog(title, body, name = "") {
  const close = button("close", null, () => dialog.close(), { class: "plain close", "aria-label": t("dialog.close") });
  close.append(icon("close"));
  const heading = h("h2", { id: "dialog-title", tabindex: "-1", autofocus: true, text: title });
  const dialog = h("dialog", { class: `dialog ${name}`, "aria-labelledby": "dialog-title" }, h("header", {}, heading, close), body);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

/** Asks before something that cannot be undone; `yes` is what it does. */
export function ask(question, yesText, yes) {
  const dialog = openDialog(
    question,
    h(
      "div",
      { class: "buttons" },
      button("yes", yesText, () => {
        dialog.close();
        yes();
      }, { class: "danger" }),
      button("no", t("dialog.cancel"), () => dialog.close()),
    ),
    "small",
  );
}

/** Whether a window is open, so that keys belong to it. */
export function dialogIsOpen() {
  return document.querySelector("dialog[open]") !== null;
}

export function closeDialogs() {
  for (const dialog of document.querySelectorAll("dialog[open]")) dialog.close();
}
