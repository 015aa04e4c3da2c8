// Things of the game in words: who, which cards, what happened, what went wrong. The words themselves are in texts.js.

import { isCrisp } from "./cards.js";
import { t } from "./language.js";
import { drawnFrom } from "./story.js";

/** A card's name. */
export function cardName(label, edition) {
  return isCrisp(label, edition) ? t("card.crisp") : label;
}

/** A list of cards. */
export function cardNames(cards, edition) {
  return cards.length === 0 ? t("card.none") : cards.map((card) => cardName(card, edition)).join(", ");
}

/** A play by its kind: "pair of 6s". Without a kind it is told from the number of cards and ranks. */
export function playName({ cards, kind = kindOf(cards) }, edition) {
  const [low, high] = [cards[0], cards.at(-1)].map((card) => cardName(card, edition));
  return t(`kind.${kind}`, { low, high, count: cards.length });
}

/** The kind of cards that lie on the table, where the API does not repeat it. */
function kindOf(cards) {
  const ranks = new Set(cards).size;
  if (ranks === 1) return ["single", "pair", "triple", "quad"][cards.length - 1];
  return ranks === cards.length ? "sequence" : "stair";
}

/** An action on a button. */
export function actionName(action, edition, faceUp) {
  if (action.type === "play") return playName(action, edition);
  if (action.type === "pass") return t("action.pass");
  return action.source === "face_up" ? t("action.takeFaceUp", { card: cardName(faceUp, edition) }) : t("action.takePile");
}

/** Whoever sits at a seat, by name. */
export function seatName(view, seat) {
  const { kind, name, level } = view.seats[seat];
  if (kind === "ai") return t("seat.computer", { level });
  if (name) return name;
  if (seat === view.viewer) return t("seat.you");
  return view.viewer === null ? t("seat.number", { number: seat + 1 }) : t("seat.friend");
}

/** An event in words; null for what needs none. `led`: whether a play led its round. */
export function eventText(event, view, led) {
  const { edition } = view.rules;
  const whose = (seat) => (seat === view.viewer ? "you" : "other");
  const who = (event.seat ?? null) === null ? null : seatName(view, event.seat);
  switch (event.type) {
    case "dealt":
      return t(`event.${whose(event.starter)}.dealt`, { number: event.number, who: seatName(view, event.starter) });
    case "played":
      return t(`event.${whose(event.seat)}.${led ? "led" : "followed"}`, { who, play: playName(event, edition) });
    case "passed":
      return t(`event.${whose(event.seat)}.${event.automatic ? "skipped" : "passed"}`, { who });
    case "drew":
      return drawText(event, view);
    case "deal_ended":
      return t(`event.${whose(event.winner)}.wonDeal`, { who: seatName(view, event.winner), number: event.number });
    case "game_ended":
      return t(`event.${whose(event.winner)}.wonGame.${event.reason}`, { who: seatName(view, event.winner) });
    default:
      return null;
  }
}

function drawText(event, view) {
  const { edition } = view.rules;
  const sources = drawnFrom(event);
  const order = view.viewer === null ? [0, 1] : [view.viewer, 1 - view.viewer];
  const parts = order.map((seat) => {
    const card = event.drawn[seat];
    const key = `event.${seat === view.viewer ? "you" : "other"}.drew.${card === null ? "unseen" : sources[seat]}`;
    return t(key, { who: seatName(view, seat), card: card === null ? "" : cardName(card, edition) });
  });
  return parts.join(" ");
}

/** A refusal in words. */
export function problemText(problem) {
  return t(`problem.${problem.code}`, {}) ?? problem.body?.detail ?? t("problem.unexpected");
}

/** A probability in words. */
export function percent(share) {
  return t("percent", { number: Math.round(100 * share) });
}

/** Seconds as a clock shows them. */
export function clockText(seconds) {
  const whole = Math.max(0, Math.ceil(seconds));
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60];
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
