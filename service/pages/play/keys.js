// The keyboard at the table. Single letters can be switched off (WCAG 2.1.4).

import { EDITIONS } from "./cards.js";
import { dialogIsOpen } from "./dialog.js";

const TYPING = "input, select, textarea, [contenteditable]";
const PRESSED = "button, a, summary, input, select, textarea";

/**
 * What a key does, by name: `hand` is a HandPart, `doing` the table's actions. Answers a function that handles
 * keydown events.
 */
export function keyboard(hand, doing, game, shortcuts) {
  const always = {
    ArrowLeft: () => hand.move(-1),
    ArrowRight: () => hand.move(1),
    Home: () => hand.moveTo(0),
    End: () => hand.moveTo(Infinity),
    Escape: () => doing.clear(),
  };
  const chosen = { " ": () => hand.tapHere(), Enter: () => doing.play() };
  const letters = {
    p: doing.pass,
    a: doing.advise,
    d: doing.deal,
    f: () => doing.draw("face_up"),
    u: () => doing.draw("draw_pile"),
    r: doing.reviewLast,
    "?": doing.help,
  };
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialogIsOpen()) return;
    const inHand = hand.element.contains(event.target);
    if (event.target.closest(TYPING) || (event.target.closest("[tabindex='0']") && !inHand && event.key in always)) return;
    const free = inHand || !event.target.closest(PRESSED);
    const deed = free && (always[event.key] ?? (event.key === " " && !inHand ? undefined : chosen[event.key]));
    const letter = shortcuts() ? letters[event.key.toLowerCase()] : undefined;
    if (deed || letter) (deed || letter)();
    else if (!shortcuts() || !typed(event.key)) return;
    event.preventDefault();
  };

  function typed(key) {
    const label = key === "0" ? "10" : key.toUpperCase();
    return EDITIONS[game.view.rules.edition].includes(label) && hand.tapLabel(label);
  }
}
