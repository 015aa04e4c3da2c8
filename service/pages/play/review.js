// An ended deal reviewed: the chart, every decision, the cards still held, and whether the shuffle was what it promised.

import { face } from "./art.js";
import { rankOf, without } from "./cards.js";
import { chances, chart } from "./chart.js";
import { openDialog } from "./dialog.js";
import { button, h, icon, Region } from "./dom.js";
import { t } from "./language.js";
import { checks } from "./shuffle.js";
import { actionName, cardNames, percent, problemText, seatName } from "./words.js";

/** Opens the review of a deal; `numbers` are all deals that have one, `kept` tells what this browser knows of a deal. */
export function openReview(service, view, number, numbers, kept) {
  const tabs = h("div", { class: "tabs", role: "group", "aria-label": t("review.deals") });
  const content = new Region(h("div", { class: "review-body", "aria-live": "polite" }));
  openDialog(t("review.title"), [tabs, content.element], "review");
  const choose = (chosen) => {
    tabs.replaceChildren(...numbers.slice().reverse().map((one) => button(`deal-${one}`, t("review.deal", { number: one }), () => choose(one), { class: "tab", "aria-pressed": one === chosen })));
    tabs.hidden = numbers.length < 2;
    fill(content, service, view, chosen, kept(chosen));
  };
  choose(number);
}

async function fill(content, service, view, number, kept) {
  content.show([number, "loading"], () => h("p", { class: "loading", text: t("review.loading") }));
  const shown = { number };
  content.number = number;
  try {
    const [record, analysis] = await Promise.all([service.record(view.id, number), service.analysis(view.id, number)]);
    Object.assign(shown, { record, analysis });
  } catch (problem) {
    shown.problem = problemText(problem);
  }
  if (content.number !== number) return;
  content.show([number, shown.problem], () => (shown.problem ? h("p", { class: "problem", text: shown.problem }) : review(shown, view, kept)));
}

function review({ record, analysis }, view, kept) {
  const seat = view.viewer ?? 0;
  const line = chances(analysis, seat);
  const who = view.viewer === null ? seatName(view, 0) : t("seat.you");
  const last = line.at(-1)?.chance ?? 0.5;
  const label = t("chart.label", { who, count: analysis.decisions.length, first: percent(line[0]?.chance ?? 0.5), last: percent(last) });
  return [
    h("h3", { text: t(view.viewer === null ? "chart.titleOther" : "chart.titleYou", { who }) }),
    line.length > 0 && chart(line, seat, label, innerWidth < 640 ? 380 : 680),
    h("p", { class: "legend" }, legend("mine", who), legend("theirs", seatName(view, 1 - seat)), legend("costly", t("chart.costly"))),
    h("div", { class: "summaries" }, [seat, 1 - seat].map((one) => summary(analysis.seats[one], view))),
    held(record, view),
    shufflePart(record, kept),
    decisions(analysis, view),
  ];
}

function legend(kind, text) {
  return h("span", {}, h("i", { class: `key ${kind}` }), h("span", { text }));
}

function summary({ seat, decisions: count, best_chosen: best, average_loss: loss }, view) {
  const name = seat === view.viewer ? t("seat.you") : seatName(view, seat);
  const text = t("review.summary", { best, count, loss: (100 * loss).toFixed(1) });
  return h("p", { class: seat === (view.viewer ?? 0) ? "mine" : "theirs" }, h("b", { text: name }), h("span", { text }));
}

function held(record, view) {
  const { edition } = record.rules;
  const hands = heldAtTheEnd(record).map((cards, seat) => ({ cards, seat })).filter(({ cards }) => cards.length > 0);
  return hands.map(({ cards, seat }) =>
    h(
      "div",
      { class: "held-at-end" },
      h("p", { text: t(seat === view.viewer ? "review.heldYou" : "review.held", { who: seatName(view, seat), cards: cardNames(cards, edition) }) }),
      h("span", { class: "cards small", "aria-hidden": "true" }, cards.map((card) => face(card, edition))),
    ),
  );
}

function decisions(analysis, view) {
  const { edition } = view.rules;
  const named = (action) => (action.type === "draw" ? t(`action.${action.source}`) : actionName(action, edition));
  const rows = analysis.decisions.map((decision, index) =>
    h(
      "tr",
      { class: decision.loss >= 0.08 ? "costly" : null },
      h("td", { text: index + 1 }),
      h("td", { text: decision.seat === view.viewer ? t("seat.you") : seatName(view, decision.seat) }),
      h("td", { text: `${named(decision.played)} (${percent(decision.played_win_probability)})` }),
      h("td", { text: decision.loss > 0 ? `${named(decision.best)} (${percent(decision.win_probability)})` : t("review.same") }),
      h("td", { text: decision.loss > 0 ? t("review.lost", { points: (100 * decision.loss).toFixed(1) }) : "" }),
    ),
  );
  const heads = ["number", "seat", "played", "best", "loss"].map((name) => h("th", { scope: "col", text: t(`review.${name}`) }));
  return [
    h("h3", { text: t("review.decisions") }),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("review.decisions") }, h("table", {}, h("thead", {}, h("tr", {}, heads)), h("tbody", {}, rows))),
  ];
}

/** The check of the shuffle: computed here, from the record alone and from what this browser was promised. */
function shufflePart(record, kept) {
  const results = h("ul", { class: "checks", "aria-live": "polite" });
  const check = button("check-shuffle", t("shuffle.check"), async () => {
    check.disabled = true;
    const found = await checks(record, kept);
    results.replaceChildren(...found.map(({ name, holds }) => verdict(name, holds)));
    const all = found.every(({ holds }) => holds);
    results.append(h("li", { class: all ? "verdict ok" : "verdict failed", text: t(all ? "shuffle.ok" : "shuffle.failed") }));
  });
  return h(
    "section",
    { class: "shuffle" },
    h("h3", { text: t("shuffle.title") }),
    h("p", { class: "hint", text: t("shuffle.text") }),
    check,
    results,
    h("details", {}, h("summary", { text: t("shuffle.numbers") }), h("dl", {}, ["commitment", "seed", "client_seed", "algorithm"].map((name) => [h("dt", { text: t(`shuffle.${name}`) }), h("dd", { text: record[name] || "–" })]))),
  );
}

function verdict(name, holds) {
  const mark = h("span", { class: "mark" }, icon(holds ? "check" : "close"), h("span", { class: "hidden", text: t(holds ? "shuffle.yes" : "shuffle.no") }));
  return h("li", { class: holds ? "ok" : "failed" }, mark, h("span", { text: t(`shuffle.checks.${name}`) }));
}

/** The cards each seat still held when a deal ended, from its record. */
function heldAtTheEnd(record) {
  const hands = [record.deck.slice(0, 12), record.deck.slice(12, 24)];
  for (const event of record.events) {
    if (event.type === "played") hands[event.seat] = without(event.cards, hands[event.seat]);
    if (event.type === "drew") event.drawn.forEach((card, seat) => hands[seat].push(card));
  }
  const { edition } = record.rules;
  return hands.map((hand) => hand.sort((one, other) => rankOf(one, edition) - rankOf(other, edition)));
}
