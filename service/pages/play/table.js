// A game on the page: the parts of the table, and what the player does with them.

import { invitation } from "./address.js";
import { Problem } from "./api.js";
import { tally } from "./cards.js";
import { actsInTheMiddle, centre, centreKey } from "./centre.js";
import { controls, controlsKey, statusText } from "./controls.js";
import { ask, openDialog } from "./dialog.js";
import { button, h, icon, mark, Region } from "./dom.js";
import { HandPart } from "./hand.js";
import { keyboard } from "./keys.js";
import { t } from "./language.js";
import { computerIsDue, mayPass, situation, sources } from "./legal.js";
import { opponentHand, opponentKey, plate, plateKey, tick } from "./players.js";
import { logPanel, tallyPanel } from "./side.js";
import { endedDeals, leads } from "./story.js";
import { cardName, eventText, problemText } from "./words.js";

const TICK_MS = 500;

export class Table {
  #game;
  #service;
  #memory;
  #go;
  #hand;
  #parts = {};
  #said = 0;
  #keys;
  #timer;
  #advised = null;
  #advicePanel = null;

  /** `go` leads to another game's id, or to the start with null. */
  constructor(service, memory, go) {
    this.#service = service;
    this.#memory = memory;
    this.#go = go;
  }

  /** Lay the table for a game that has been read. */
  lay(game, root) {
    this.#game = game;
    this.#hand = new HandPart(game, (card) => this.#refused(card));
    const parts = ["banner", "invite", "opponent", "opponentHand", "centre", "own", "controls", "advice", "tally", "log", "menu"];
    for (const name of parts) this.#parts[name] = new Region(h("div", { class: `part ${name.toLowerCase()}` }));
    const at = (name) => this.#parts[name].element;
    this.live = h("p", { class: "hidden", role: "status", "aria-live": "polite" });
    this.alert = h("div", { class: "alerts", role: "alert" });
    root.replaceChildren(
      h("header", { class: "bar" }, this.#brand(), at("menu")),
      at("banner"),
      this.alert,
      h(
        "div",
        { class: "board" },
        h(
          "main",
          { class: "table", id: "table" },
          h("h1", { class: "hidden", text: t("table.heading") }),
          at("invite"),
          h("section", { class: "opponent-row", "aria-label": t("table.opponent") }, at("opponent"), at("opponentHand")),
          h("section", { class: "middle", "aria-label": t("table.middle") }, at("centre")),
          h("section", { class: "own-row", "aria-label": t("table.own") }, at("own"), at("controls"), this.#hand.element),
        ),
        h("aside", { class: "side", "aria-label": t("table.side") }, at("advice"), at("log"), at("tally")),
      ),
      this.live,
    );
    const shortcuts = () => this.#memory.wishes.shortcuts !== false;
    this.#keys = keyboard(this.#hand, this.#doing, game, shortcuts);
    addEventListener("keydown", this.#keys);
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#said = game.version;
    this.update();
  }

  clear() {
    removeEventListener("keydown", this.#keys);
    clearInterval(this.#timer);
    document.title = t("title");
  }

  #brand() {
    const home = button("home", null, () => this.#go(null), { class: "brand", "aria-label": t("menu.home") });
    home.append(h("svg", { class: "logo", viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: "#crisp" })), h("span", { text: t("brand") }));
    return home;
  }

  // ------------------------------------------------------------------------------------- what can be done
  #doing = {
    play: () => this.#game.play(),
    pass: () => this.#game.mine && mayPass(this.#game.view.legal_actions) && this.#game.pass(),
    draw: (source) => this.#game.mine && sources(this.#game.view.legal_actions).includes(source) && this.#game.draw(source),
    take: (action) => this.#game.take(action),
    deal: () => situation(this.#game.view) === "deal" && this.#game.deal(),
    claim: () => this.#game.claim(),
    advise: () =>
      this.#with(import("./advice.js"), ({ advicePanel }) => {
        this.#advicePanel = advicePanel;
        this.#game.advise();
      }),
    hideAdvice: () => {
      this.#game.advice = null;
      this.update();
    },
    clear: () => this.#game.mine && this.#game.choose([]),
    rematch: async () => {
      const id = await this.#game.rematch();
      if (id) this.#go(id);
    },
    review: (number) => this.#review(number),
    reviewLast: () => {
      const [last] = endedDeals(this.#game.events, this.#game.view);
      if (last) this.#review(last);
    },
    resign: () => ask(t("resign.question"), t("resign.yes"), () => this.#game.resign()),
    help: () => this.#with(import("./help.js"), ({ openHelp }) => openHelp(this.#memory, this.#game.view.rules)),
    invite: () => openDialog(t("invite.title"), this.#invitation(), "small"),
    home: () => this.#go(null),
  };

  #review(number) {
    const { view, events, id } = this.#game;
    const kept = (one) => ({ ...this.#memory.game(id).deals?.[one], seat: view.viewer });
    const open = ({ openReview }) => openReview(this.#service, view, number, endedDeals(events, view), kept);
    return this.#with(import("./review.js"), open);
  }

  /** Do something with a module that is loaded only when it is wanted. */
  async #with(loading, use) {
    const found = await loading.catch(() => null);
    if (found === null) this.#game.refuse(new Problem({ code: "unreachable" }));
    else use(found);
  }

  #invitation() {
    const link = invitation(location.href, this.#game.id, this.#memory.game(this.#game.id).invite);
    const place = h("div");
    this.#with(import("./invitation.js"), ({ invitationPanel }) => place.append(invitationPanel(link, () => this.#say(t("invite.copied")))));
    return place;
  }

  #refused(card) {
    const { view, mine } = this.#game;
    if (mine && view.phase === "play") this.#say(t("selection.refused", { card: cardName(card, view.rules.edition) }));
    else this.#say(statusText(this.#game));
  }

  #say(text) {
    this.live.textContent = text;
  }

  // ------------------------------------------------------------------------------------- what is shown
  /** Show the game as it is now. */
  update() {
    const game = this.#game;
    const { shown: view, events } = game;
    const doing = this.#doing;
    const me = view.viewer ?? 0;
    const show = (name, key, make) => this.#parts[name].show(key, make);
    show("menu", [view.phase, view.viewer, this.#invites()], () => this.#menu(view));
    show("banner", [game.link, view.phase], () => this.#banner(game, view));
    show("invite", [this.#awaitsFriend()], () => this.#awaitsFriend() && this.#invitation());
    show("opponent", plateKey(game, 1 - me), () => plate(game, 1 - me));
    show("opponentHand", opponentKey(game, 1 - me), () => opponentHand(game, 1 - me));
    show("centre", centreKey(game), () => centre(game, doing));
    show("own", plateKey(game, me), () => [plate(game, me), view.viewer === null && h("div", { class: "watched" }, opponentHand(game, me))]);
    show("controls", controlsKey(game, this.#service.now()), () => controls(game, doing, this.#service.now()));
    show("advice", game.advice, () => this.#advicePanel?.(game, doing));
    const rows = view.deal ? tally(view) : null;
    show("tally", rows, () => rows && tallyPanel(rows, view.rules.edition));
    show("log", [events.at(-1)?.version], () => logPanel(events, view));
    this.#hand.update();
    mark(document.getElementById("table"), "data-version", game.view.version);
    this.#showProblem();
    this.#tell(events, view);
    this.#comeForward(game);
    this.#tick();
    document.title = game.mine || actsInTheMiddle(view) ? t("titleYours") : t("title");
  }

  #menu(view) {
    const item = (name, picture, press) => {
      const made = button(name, null, press, { class: "plain", "aria-label": t(`menu.${name}`), title: t(`menu.${name}`) });
      made.append(icon(picture), h("span", { class: "wide", text: t(`menu.${name}`) }));
      return made;
    };
    return [
      this.#invites() && item("invite", "link", this.#doing.invite),
      view.viewer !== null && view.phase !== "finished" && item("resign", "flag", this.#doing.resign),
      item("help", "help", this.#doing.help),
    ];
  }

  #invites() {
    const kept = this.#memory.game(this.#game.id);
    return Boolean(kept.invite) && this.#game.view.viewer !== null && this.#game.view.phase !== "finished";
  }

  #awaitsFriend() {
    return this.#invites() && this.#game.view.version === 1 && !this.#memory.game(this.#game.id).met;
  }

  #banner(game, view) {
    if (game.link === "offline") return h("p", { class: "banner warn", role: "status", text: t("link.offline") });
    if (view.viewer === null) return h("p", { class: "banner", text: t("link.watching") });
    return null;
  }

  #showProblem() {
    const { problem } = this.#game;
    const text = problem === null ? "" : problemText(problem);
    if (this.alert.dataset.text === text) return;
    this.alert.dataset.text = text;
    if (problem === null) this.alert.replaceChildren();
    else {
      const close = button("forgive", null, () => this.#game.forgive(), { class: "plain close", "aria-label": t("problem.dismiss") });
      close.append(icon("close"));
      const due = computerIsDue(this.#game.view) && button("nudge", t("problem.nudge"), () => this.#game.nudge());
      this.alert.replaceChildren(h("div", { class: "problem" }, h("p", { text }), due, close));
    }
  }

  /** Say what has happened since the last time. */
  #tell(events, view) {
    const news = events.filter((event) => event.version > this.#said);
    if (news.length === 0) return;
    this.#said = news.at(-1).version;
    const led = leads(events);
    const words = news.map((event) => eventText(event, view, led.has(event.version))).filter(Boolean);
    this.#say([...words, this.#game.busy ? "" : statusText(this.#game)].join(" "));
  }

  /** Bring new advice into view, and the table again when it has been taken. */
  #comeForward(game) {
    if (game.advice !== null && game.advice !== this.#advised) {
      const title = document.getElementById("advice-title");
      title?.focus({ preventScroll: true });
      title?.closest("section").scrollIntoView({ block: "nearest" });
    }
    if (game.advice === null && this.#advised !== null) scrollTo({ top: 0 }); // on a phone it stood below the hand
    this.#advised = game.advice;
  }

  #tick() {
    const now = this.#service.now();
    tick(document, now);
    this.#parts.controls.show(controlsKey(this.#game, now), () => controls(this.#game, this.#doing, now));
  }
}
