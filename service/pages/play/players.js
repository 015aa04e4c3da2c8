// Who sits where: name, score, whose turn it is, the clock; and what is known of the opponent's hand.

import { back, face } from "./art.js";
import { h, icon } from "./dom.js";
import { t } from "./language.js";
import { cardNames, clockText, seatName } from "./words.js";

const MOST_PIPS = 5;

/** What a plate shows, apart from the clock, which ticks by itself. */
export function plateKey(game, seat) {
  const { shown: view, presence } = game;
  return [view.seats[seat], view.to_act, view.turn_deadline, view.deal?.hand_sizes[seat], presence?.[seat], view.rules.points_to_win];
}

export function plate(game, seat) {
  const { shown: view, presence } = game;
  const acts = view.to_act === seat;
  const human = view.seats[seat].kind === "human";
  const there = human && seat !== view.viewer && presence !== null && view.phase !== "finished" ? presence[seat] : null;
  const name = seat === view.viewer && !view.seats[seat].name ? t("seat.you") : seatName(view, seat);
  return h(
    "div",
    { class: acts ? "plate acts" : "plate" },
    h("span", { class: "avatar", "aria-hidden": "true", text: sign(view, seat) }),
    h(
      "span",
      { class: "who" },
      h("span", { class: "name", text: name }),
      there !== null && h("span", { class: there ? "there yes" : "there no", text: t(there ? "presence.here" : "presence.away") }),
      acts && h("span", { class: "turn", text: t("seat.turn") }),
    ),
    view.turn_deadline !== null && acts && h("span", { class: "clock" }, icon("clock"), h("time", { "data-deadline": view.turn_deadline })),
    score(view, seat),
  );
}

/** What stands for a player: the first letter of a name, where there is one. */
function sign(view, seat) {
  const { kind, name } = view.seats[seat];
  if (kind === "ai") return t("seat.computerSign");
  return name ? [...name][0].toUpperCase() : t(seat === view.viewer ? "seat.youSign" : "seat.friendSign");
}

function score(view, seat) {
  const { score: points } = view.seats[seat];
  const { points_to_win: goal } = view.rules;
  const words = t("score.of", { points, goal });
  const pips = goal <= MOST_PIPS ? Array.from({ length: goal }, (_, index) => h("i", { class: index < points ? "pip full" : "pip" })) : h("b", { text: `${points}/${goal}` });
  return h("span", { class: "score", role: "img", "aria-label": words, title: words }, pips);
}

export function opponentKey(game, seat) {
  const { shown: view } = game;
  return [view.deal?.hand_sizes[seat], view.deal?.known[seat], view.deal?.number];
}

/** The other hand: backs, and face up what is known to be in it. */
export function opponentHand(game, seat) {
  const { shown: view } = game;
  if (view.deal === null) return [];
  const { edition } = view.rules;
  const size = view.deal.hand_sizes[seat];
  const known = view.deal.known[seat];
  const label = t(known.length > 0 ? "opponent.handKnown" : "opponent.hand", { who: seatName(view, seat), count: size, cards: cardNames(known, edition) });
  const cards = [...Array.from({ length: size - known.length }, back), ...known.map((card) => face(card, edition))];
  const middle = (size - 1) / 2;
  return [
    h(
      "div",
      { class: "fan", role: "img", "aria-label": label, title: label, vars: { "--count": Math.max(1, size) } },
      cards.map((card, index) => h("span", { class: "held", vars: { "--off": index - middle, "--far": Math.abs(index - middle) } }, card)),
    ),
    h("span", { class: "count", "aria-hidden": "true", text: t("opponent.count", { count: size }) }),
  ];
}

/** Writes the time left into every clock of the page; answers the seconds left on a deadline. */
export function tick(root, now) {
  for (const time of root.querySelectorAll("time[data-deadline]")) {
    const left = secondsLeft(time.dataset.deadline, now);
    const text = clockText(left);
    if (time.textContent !== text) time.textContent = text;
    time.parentElement.classList.toggle("short", left < 10);
  }
}

export function secondsLeft(deadline, now) {
  return (Date.parse(deadline) - now) / 1000;
}
