// Cards as the API names them: the labels of an edition, in ascending order. Nothing here knows what may follow what.

export const EDITIONS = {
  boxed: ["1", "2", "3", "4", "5", "6", "7", "8", "9", "C"],
  classic: ["2", "3", "4", "5", "6", "7", "8", "9", "10", "Q"],
};
export const COPIES = 4;

/** The place of a label among the ten ranks of its edition, from 0. */
export function rankOf(label, edition) {
  return EDITIONS[edition].indexOf(label);
}

/** Whether this is the top rank, the Crisp. */
export function isCrisp(label, edition) {
  return rankOf(label, edition) === EDITIONS[edition].length - 1;
}

/** How many cards of each label there are. */
export function counted(cards) {
  const counts = new Map();
  for (const card of cards) counts.set(card, (counts.get(card) ?? 0) + 1);
  return counts;
}

/** Whether all of these cards are among the others, counting copies. */
export function within(cards, others) {
  const there = counted(others);
  return [...counted(cards)].every(([card, count]) => count <= (there.get(card) ?? 0));
}

/** The others without these cards, each copy taken away once. */
export function without(cards, others) {
  const away = counted(cards);
  return others.filter((card) => {
    const left = away.get(card) ?? 0;
    away.set(card, left - 1);
    return left <= 0;
  });
}

/** Where in a hand these cards are: of equal ones the first. Null when some are not there. */
export function placesOf(cards, hand) {
  const places = new Set();
  for (const card of cards) {
    const place = hand.findIndex((other, index) => other === card && !places.has(index));
    if (place < 0) return null;
    places.add(place);
  }
  return places;
}

/** For each card of a hand, whether it is one that the other seat knows to be there. */
export function exposed(hand, known) {
  const places = placesOf(known, hand) ?? new Set();
  return hand.map((_, index) => places.has(index));
}

/**
 * Where the four copies of each rank are, as far as the viewer knows: played, in the viewer's hand, known to be in the
 * other seat's hand (or, watching, in either), face up, and not seen yet.
 */
export function tally(view) {
  const { deal, viewer } = view;
  const others = viewer === null ? [0, 1] : [1 - viewer];
  const known = counted(others.flatMap((seat) => deal.known[seat]));
  const played = counted(deal.played);
  const mine = counted(deal.hand ?? []);
  return EDITIONS[view.rules.edition].map((label) => {
    const row = {
      label,
      played: played.get(label) ?? 0,
      mine: mine.get(label) ?? 0,
      known: known.get(label) ?? 0,
      up: deal.face_up === label ? 1 : 0,
    };
    return { ...row, unseen: COPIES - row.played - row.mine - row.known - row.up };
  });
}
