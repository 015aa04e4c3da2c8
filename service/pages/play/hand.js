// The viewer's own hand: a list of cards to choose from by tap, click or keys.

import { face } from "./art.js";
import { exposed } from "./cards.js";
import { h, icon, mark, setVars } from "./dom.js";
import { t } from "./language.js";
import { cardsAt, usable } from "./legal.js";
import { freshCard } from "./story.js";
import { cardName } from "./words.js";

export class HandPart {
  #game;
  #made = "";
  #cursor = 0;
  #refused;

  /** `refused` is told of a card that is in no legal play. */
  constructor(game, refused) {
    this.#game = game;
    this.#refused = refused;
    this.element = h("ul", {
      class: "hand",
      role: "listbox",
      "aria-multiselectable": "true",
      "aria-label": t("hand.label"),
      on: { click: (event) => this.#clicked(event), focusin: (event) => this.#focused(event) },
    });
  }

  get #cards() {
    return [...this.element.children];
  }

  update() {
    const { shown: view, events, chosen, mine } = this.#game;
    const hand = view.deal?.hand ?? [];
    const fresh = freshCard(events, view.viewer);
    const known = view.viewer === null ? [] : (view.deal?.known[view.viewer] ?? []);
    const key = JSON.stringify([hand, fresh, known, view.deal?.number]);
    if (key !== this.#made) this.#make(hand, fresh, exposed(hand, known));
    this.#made = key;
    this.element.hidden = hand.length === 0;
    const choosing = mine && view.phase === "play";
    const open = choosing ? usable(hand, chosen, view.legal_actions) : hand.map(() => true);
    this.#cards.forEach((card, place) => {
      mark(card, "aria-selected", choosing && chosen.has(place));
      mark(card, "aria-disabled", open[place] ? null : true);
      mark(card, "tabindex", place === this.#cursor ? 0 : -1);
    });
    this.element.classList.toggle("choosing", choosing);
  }

  #make(hand, fresh, seen) {
    const focused = this.element.contains(document.activeElement);
    const { edition } = this.#game.view.rules;
    const freshPlace = hand.lastIndexOf(fresh);
    this.#cursor = Math.max(0, Math.min(this.#cursor, hand.length - 1));
    const middle = (hand.length - 1) / 2;
    setVars(this.element, { "--count": Math.max(1, hand.length), "--half": Math.ceil(Math.max(1, hand.length) / 2) });
    const cards = hand.map((label, place) => {
      const isFresh = place === freshPlace;
      const parts = [cardName(label, edition), isFresh && t("hand.fresh"), seen[place] && t("hand.exposed")];
      return h(
        "li",
        {
          role: "option",
          class: isFresh ? "fresh" : null,
          "data-place": place,
          "aria-label": parts.filter(Boolean).join(", "),
          title: seen[place] ? t("hand.exposed") : null,
          vars: { "--off": place - middle, "--far": Math.abs(place - middle) },
        },
        face(label, edition),
        seen[place] && h("span", { class: "seen", "aria-hidden": "true" }, icon("eye")),
      );
    });
    this.element.replaceChildren(...cards);
    this.element.classList.toggle("many", hand.length > 9);
    if (focused) this.focus();
  }

  #clicked(event) {
    const card = event.target.closest("li");
    if (card) this.tap(Number(card.dataset.place));
  }

  #focused(event) {
    const card = event.target.closest("li");
    if (!card) return;
    this.#cursor = Number(card.dataset.place);
    this.#cards.forEach((other, place) => mark(other, "tabindex", place === this.#cursor ? 0 : -1));
  }

  /** Choose the card at a place, or no longer. */
  tap(place) {
    if (!this.#game.tap(place)) this.#refused(cardsAt([place], this.#game.view.deal.hand)[0]);
  }

  /** Choose the card that the keys stand on. */
  tapHere() {
    if (this.#cards.length > 0) this.tap(this.#cursor);
  }

  /** Choose the next card with this label that is not chosen yet. Answers whether the hand has one. */
  tapLabel(label) {
    const hand = this.#game.view.deal?.hand ?? [];
    const place = hand.findIndex((card, index) => card === label && !this.#game.chosen.has(index));
    if (place < 0) return false;
    this.#cursor = place;
    this.focus();
    this.tap(place);
    return true;
  }

  move(step) {
    this.moveTo(this.#cards.includes(document.activeElement) ? this.#cursor + step : this.#cursor);
  }

  moveTo(place) {
    const last = this.#cards.length - 1;
    this.#cursor = Math.max(0, Math.min(place, last));
    this.focus();
  }

  focus() {
    this.#cards[this.#cursor]?.focus();
  }
}
