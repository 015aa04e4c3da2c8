// What the view's legal_actions let a player choose. The service alone decides; this only looks it up.

import { within } from "./cards.js";

/** The plays among actions. */
export function plays(actions) {
  return actions.filter((action) => action.type === "play");
}

/** Whether passing is among the actions. */
export function mayPass(actions) {
  return actions.some((action) => action.type === "pass");
}

/** The sources that a draw choice offers. */
export function sources(actions) {
  return actions.filter((action) => action.type === "draw").map((action) => action.source);
}

/** The cards at some places of a hand. */
export function cardsAt(places, hand) {
  return [...places].sort((one, other) => one - other).map((place) => hand[place]);
}

/** The play that consists of exactly these cards, if it is legal. */
export function playOf(cards, actions) {
  return plays(actions).find((play) => play.cards.length === cards.length && within(cards, play.cards)) ?? null;
}

/** The plays that these cards are part of, without the one they are; the shortest first. */
export function continuations(cards, actions) {
  return plays(actions)
    .filter((play) => play.cards.length > cards.length && within(cards, play.cards))
    .sort((one, other) => one.cards.length - other.cards.length);
}

/** For each card of a hand, whether it could be added to the chosen ones and still lead to a legal play. */
export function usable(hand, chosen, actions) {
  const cards = cardsAt(chosen, hand);
  const found = new Map();
  return hand.map((label, place) => {
    if (chosen.has(place)) return true;
    if (!found.has(label)) found.set(label, plays(actions).some((play) => within([...cards, label], play.cards)));
    return found.get(label);
  });
}

/**
 * The chosen places after a tap on one: taken away if it was chosen, added if that can lead to a legal play, else
 * a new choice that begins with it. Null when the card is in no legal play.
 */
export function tapped(hand, chosen, place, actions) {
  const next = new Set(chosen);
  if (next.delete(place)) return next;
  if (usable(hand, chosen, actions)[place]) return next.add(place);
  return usable(hand, new Set(), actions)[place] ? new Set([place]) : null;
}

/** Where the game stands for its viewer: watching, finished, deal, lead, follow, draw, or wait. */
export function situation(view) {
  if (view.phase === "finished") return "finished";
  if (view.viewer === null) return "watching";
  if (view.phase === "awaiting_deal") return "deal";
  if (view.to_act !== view.viewer) return "wait";
  if (view.phase === "draw") return "draw";
  return view.deal.to_follow === null ? "lead" : "follow";
}

/** Whether the seat to act is the computer's: something kept it from moving by itself. */
export function computerIsDue(view) {
  return view.to_act !== null && view.seats[view.to_act].kind === "ai";
}

/** The view as it will be when the viewer's play has arrived, to be shown until it has. */
export function withPlay(view, cards) {
  const { deal, viewer } = view;
  const hand = [...deal.hand];
  for (const card of cards) hand.splice(hand.indexOf(card), 1);
  const sizes = deal.hand_sizes.map((size, seat) => (seat === viewer ? hand.length : size));
  const round = { ...deal.round, plays: [...deal.round.plays, { seat: viewer, cards }] };
  return {
    ...view,
    to_act: 1 - viewer,
    legal_actions: [],
    deal: { ...deal, hand, hand_sizes: sizes, round, played: [...deal.played, ...cards] },
  };
}
