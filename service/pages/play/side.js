// Beside the table: where the cards are, and what has happened.

import { COPIES } from "./cards.js";
import { h } from "./dom.js";
import { t } from "./language.js";
import { leads } from "./story.js";
import { cardName, eventText } from "./words.js";

const LATEST = 60;

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
