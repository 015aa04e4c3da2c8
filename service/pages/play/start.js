// The start: against whom and by which rules; and the games that this browser can go on with.

import { face } from "./art.js";
import { button, h, icon } from "./dom.js";
import { openHelp } from "./help.js";
import { t } from "./language.js";
import { problemText } from "./words.js";

const OPTIONS = ["crisps_in_runs", "no_face_up_draw", "automatic_turn_skip"];
const CLOCKS = [null, 30, 60, 180, 600, 86_400];
const POINTS = { min: 1, max: 99, usual: 3 };
const MOST_GAMES = 5;

export class Start {
  #service;
  #memory;
  #go;
  #fields = {};

  constructor(service, memory, go) {
    this.#service = service;
    this.#memory = memory;
    this.#go = go;
  }

  async show(root, notice = null) {
    const wishes = this.#memory.wishes;
    this.problem = h("div", { class: "alerts", role: "alert" }, notice && h("div", { class: "problem" }, h("p", { text: notice })));
    this.levels = h("div", { class: "levels" });
    this.go = button("start", t("start.go"), () => {}, { class: "primary big", type: "submit" });
    const form = h(
      "form",
      { class: "start-form panel", on: { submit: (event) => this.#submit(event), change: () => this.#adapt(form), focusin: prepare, pointerover: prepare } },
      this.#choice("against", ["computer", "friend"], wishes.against ?? "computer", (value) => t(`start.${value}`)),
      h("fieldset", { class: "for-computer" }, h("legend", { text: t("start.level") }), this.levels),
      h("div", { class: "names" }, this.#text("your", wishes.your), h("div", { class: "for-friend" }, this.#text("friend", ""))),
      this.#details(wishes),
      this.problem,
      this.go,
    );
    const help = button("help", null, () => openHelp(this.#memory, null), { class: "plain", "aria-label": t("menu.help"), title: t("menu.help") });
    help.append(icon("help"), h("span", { class: "wide", text: t("menu.help") }));
    root.replaceChildren(
      h("header", { class: "bar" }, h("span", { class: "brand" }, h("svg", { class: "logo", viewBox: "0 0 64 64", "aria-hidden": "true" }, h("use", { href: "#crisp" })), h("span", { text: t("brand") })), help),
      h("main", { class: "start" }, this.#hero(), h("div", { class: "start-columns" }, form, this.#games())),
    );
    this.#adapt(form);
    await this.#showLevels(wishes.level);
  }

  #hero() {
    const cards = ["4", "6", "6", "9", "C"];
    return h(
      "div",
      { class: "hero" },
      h("div", {}, h("h1", { text: t("start.title") }), h("p", { text: t("start.text") })),
      h("div", { class: "hero-fan", "aria-hidden": "true" }, cards.map((card, index) => h("span", { vars: { "--off": index - 2, "--far": Math.abs(index - 2) } }, face(card, "boxed")))),
    );
  }

  #details(wishes) {
    return h(
      "details",
      { class: "more-options" },
      h("summary", { text: t("start.more") }),
      this.#choice("edition", ["boxed", "classic"], wishes.edition ?? "boxed", (value) => t(`edition.${value}`)),
      h("fieldset", {}, h("legend", { text: t("start.options") }), OPTIONS.map((name) => this.#option(name, wishes[name]))),
      h("div", { class: "names" }, this.#number(wishes.points), this.#select("leader", ["random", "me", "other"], "random", (value) => t(`leader.${value}`)), this.#select("clock", CLOCKS.map((seconds) => seconds ?? 0), 0, (value) => t(`clock.${value}`))),
    );
  }

  #choice(name, values, chosen, textOf) {
    const options = values.map((value) => {
      const input = h("input", { type: "radio", name, value, id: `${name}-${value}` });
      input.checked = value === chosen;
      return h("div", { class: "segment" }, input, h("label", { for: `${name}-${value}`, text: textOf(value) }));
    });
    return h("fieldset", { class: "segments" }, h("legend", { text: t(`start.${name}`) }), h("div", { class: "segment-row" }, options));
  }

  #option(name, wished) {
    const input = h("input", { type: "checkbox", name, id: name, "aria-describedby": `${name}-text` });
    input.checked = wished === true;
    return h("div", { class: "check-row" }, input, h("div", {}, h("label", { for: name, text: t(`option.${name}.name`) }), h("p", { class: "hint", id: `${name}-text`, text: t(`option.${name}.text`) })));
  }

  #text(name, value) {
    return h("div", { class: "field" }, h("label", { for: name, text: t(`start.${name}Name`) }), h("input", { id: name, name, maxlength: 40, autocomplete: name === "your" ? "nickname" : "off", value: value ?? "" }));
  }

  #number(wished) {
    return h("div", { class: "field" }, h("label", { for: "points", text: t("start.points") }), h("input", { id: "points", name: "points", type: "number", inputmode: "numeric", required: true, min: POINTS.min, max: POINTS.max, value: wished ?? POINTS.usual }));
  }

  #select(name, values, chosen, textOf) {
    const options = values.map((value) => h("option", { value, selected: value === chosen, text: textOf(value) }));
    return h("div", { class: "field" }, h("label", { for: name, text: t(`start.${name}`) }), h("select", { id: name, name }, options));
  }

  #adapt(form) {
    const friend = form.elements.against.value === "friend";
    form.classList.toggle("with-friend", friend);
    this.go.textContent = t(friend ? "start.goFriend" : "start.go");
  }

  async #showLevels(wished) {
    try {
      const { levels, default: usual } = await this.#service.levels();
      const chosen = levels.some(({ level }) => level === wished) ? wished : usual;
      this.levels.replaceChildren(...levels.map((level) => this.#level(level, level.level === chosen)));
    } catch (problem) {
      this.problem.replaceChildren(h("div", { class: "problem" }, h("p", { text: problemText(problem) })));
    }
  }

  #level({ level, name, strength }, chosen) {
    const input = h("input", { type: "radio", name: "level", value: level, id: `level-${level}` });
    input.checked = chosen;
    const against = strength[`level ${level - 1}`];
    const measured = against === undefined ? null : t("start.strength", { share: Math.round(100 * against), level: level - 1 });
    const bars = h("span", { class: "strength", "aria-hidden": "true" }, [1, 2, 3, 4, 5].map((step) => h("i", { class: step <= level ? "full" : null })));
    return h("div", { class: "level" }, input, h("label", { for: `level-${level}`, title: measured }, bars, h("span", { text: t(`level.${name}`) ?? name })));
  }

  #games() {
    const games = this.#memory.games().filter((game) => game.title && !game.finished).slice(0, MOST_GAMES);
    if (games.length === 0) return null;
    const line = ({ id, title, scores }) => {
      const who = title.kind === "ai" ? t("seat.computer", { level: title.level }) : (title.name ?? t("seat.friend"));
      return h("li", {}, h("a", { href: `#${id}` }, h("span", { text: t("start.versus", { who }) }), h("b", { text: t("start.score", { mine: scores?.[0] ?? 0, theirs: scores?.[1] ?? 0 }) })));
    };
    return h("section", { class: "panel games", "aria-labelledby": "games-title" }, h("h2", { id: "games-title", text: t("start.games") }), h("ul", {}, games.map(line)));
  }

  async #submit(event) {
    event.preventDefault();
    const values = Object.fromEntries(new FormData(event.target));
    this.#wish(values);
    this.go.disabled = true;
    this.problem.replaceChildren();
    try {
      const created = await this.#service.create(settings(values));
      this.#memory.sit(created.game.id, created.tokens[0].token);
      const [, second] = created.tokens;
      if (second) this.#memory.keep(created.game.id, { invite: second.token });
      this.#go(created.game.id);
    } catch (problem) {
      this.go.disabled = false;
      this.problem.replaceChildren(h("div", { class: "problem" }, h("p", { text: problemText(problem) })));
    }
  }

  #wish(values) {
    const options = Object.fromEntries(OPTIONS.map((name) => [name, name in values]));
    const { against, your, edition } = values;
    this.#memory.wish({ against, your, edition, level: Number(values.level), points: Number(values.points), ...options });
  }
}

/** Whoever is about to play will need the table. */
function prepare() {
  import("./table.js").catch(() => {});
}

/** What POST /v1/games is asked for, from the form's values. The player sits at seat 0. */
export function settings(values) {
  const human = (name) => ({ kind: "human", name: name?.trim() || null });
  const other = values.against === "friend" ? human(values.friend) : { kind: "ai", ...(values.level && { level: Number(values.level) }) };
  const options = Object.fromEntries(OPTIONS.map((name) => [name, name in values]));
  return {
    seats: [human(values.your), other],
    rules: { edition: values.edition, points_to_win: Number(values.points), ...options },
    first_leader: { me: 0, other: 1 }[values.leader] ?? null,
    turn_seconds: Number(values.clock) || null,
  };
}
