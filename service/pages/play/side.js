// Beside the table: advice with its bars, where the cards are, and what has happened.

import { face } from "./art.js";
import { COPIES } from "./cards.js";
import { button, h, icon, setVars } from "./dom.js";
import { t } from "./language.js";
import { leads } from "./story.js";
import { actionName, cardName, eventText, percent } from "./words.js";

const LATEST = 60;

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

/** Where the four copies of each rank are, for those who like to count. */
export function tallyPanel(rows, edition) {
  const kinds = ["played", "mine", "known", "up", "unseen"];
  return h(
    "details",
    { class: "panel tally", open: matchMedia("(min-width: 62rem)").matches },
    h("summary", {}, h("h2", { text: t("tally.title") })),
    h(
      "table",
      {},
      h("caption", { class: "hidden", text: t("tally.caption", { copies: COPIES }) }),
      h("thead", { class: "hidden" }, h("tr", {}, h("th", { scope: "col", text: t("tally.rank") }), kinds.map((kind) => h("th", { scope: "col", text: t(`tally.${kind}`) })))),
      h("tbody", {}, rows.map((row) => h("tr", {}, h("th", { scope: "row", text: row.label, "aria-label": cardName(row.label, edition) }), kinds.map((kind) => dots(kind, row[kind]))))),
    ),
    h("p", { class: "legend", "aria-hidden": "true" }, kinds.map((kind) => h("span", {}, h("i", { class: `dot ${kind}` }), h("span", { text: t(`tally.${kind}`) })))),
  );
}

function dots(kind, count) {
  return h("td", {}, h("span", { class: "hidden", text: count }), Array.from({ length: count }, () => h("i", { class: `dot ${kind}`, "aria-hidden": "true" })));
}

/** Each event in words, the latest first. */
export function logPanel(events, view) {
  const led = leads(events);
  const lines = events.map((event) => [event, eventText(event, view, led.has(event.version))]).filter(([, text]) => text !== null);
  return h(
    "details",
    { class: "panel log", open: matchMedia("(min-width: 62rem)").matches },
    h("summary", {}, h("h2", { text: t("log.title") })),
    h(
      "ol",
      { tabindex: "0", "aria-label": t("log.title") },
      lines.slice(-LATEST).reverse().map(([event, text]) => h("li", { class: `${event.type} ${event.seat === null ? "" : event.seat === view.viewer ? "mine" : "theirs"}`, text })),
    ),
  );
}
