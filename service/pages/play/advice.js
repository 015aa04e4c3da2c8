// Advice with its bars, once it has been asked for.

import { face } from "./art.js";
import { button, h, icon, setVars } from "./dom.js";
import { t } from "./language.js";
import { actionName, percent } from "./words.js";

/** Every legal action with its chance, best first; a click takes it. */
export function advicePanel(game, doing) {
  const { advice, view } = game;
  if (advice === null) return null;
  const { edition } = view.rules;
  const close = button("advice-close", null, doing.hideAdvice, { class: "plain close", "aria-label": t("advice.hide") });
  close.append(icon("close"));
  return h(
    "section",
    { class: "panel advice", "aria-labelledby": "advice-title" },
    h("header", {}, h("h2", { id: "advice-title", tabindex: "-1", text: t("advice.title") }), close),
    h("p", { class: "hint", text: t("advice.meaning") }),
    h("ol", {}, advice.actions.map((rated, index) => h("li", {}, rating(rated, index, game, doing, edition)))),
    h("p", { class: "hint", text: t("advice.search", { count: advice.search.simulations, ms: Math.round(advice.search.elapsed_ms) }) }),
  );
}

function rating({ action, win_probability: share }, index, game, doing, edition) {
  const name = actionName(action, edition, game.view.deal.face_up);
  const made = button(`advice-${index}`, null, () => doing.take(action), { class: index === 0 ? "rating best" : "rating" });
  const cards = action.type === "play" ? h("span", { class: "cards" }, action.cards.map((card) => face(card, edition))) : null;
  const bar = h("span", { class: "bar" }, h("i"));
  setVars(bar, { "--share": share.toFixed(3) });
  made.append(h("span", { class: "what" }, cards, h("span", { text: name })), bar, h("span", { class: "chance", text: percent(share) }));
  return made;
}
