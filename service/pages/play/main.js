// The beginning: from the address to a screen, and from one to the next.

import { fragmentOf, read } from "./address.js";
import { Problem, Service } from "./api.js";
import { pictures } from "./art.js";
import { closeDialogs } from "./dialog.js";
import { h } from "./dom.js";
import { t } from "./language.js";
import { Memory } from "./memory.js";
import { problemText } from "./words.js";

const service = new Service(new URL(".", document.baseURI).href);
const memory = new Memory();
const root = h("div", { class: "page" });
let game = null;
let table = null;
let turn = 0; // what has been asked for since is shown instead

document.title = t("title");
document.documentElement.lang = t("language");
document.body.append(
  pictures(),
  root,
  h("footer", {}, h("p", { text: t("footer.credit") }), h("p", {}, h("a", { href: "docs", text: t("footer.docs") }))),
);

function go(id) {
  const fragment = id === null ? "" : fragmentOf(id);
  if (location.hash === fragment) route();
  else location.hash = fragment;
}

/** Show what the address says. */
async function route(notice = null) {
  turn += 1;
  closeDialogs();
  game?.leave();
  table?.clear();
  game = null;
  table = null;
  const { game: id, token } = read(location.hash);
  if (token !== null) {
    memory.sit(id, token);
    history.replaceState(null, "", fragmentOf(id));
  }
  scrollTo(0, 0);
  try {
    await (id === null ? start(notice, turn) : enter(id, turn));
  } catch (error) {
    root.replaceChildren(h("main", { class: "loading", text: t("problem.unreachable") }));
    throw error;
  }
}

async function start(notice, mine) {
  const { Start } = await import("./start.js");
  if (mine === turn) await new Start(service, memory, go).show(root, notice);
}

async function enter(id, mine) {
  root.replaceChildren(h("main", { class: "loading", text: t("loading") }));
  const [{ Table }, { Game }] = await Promise.all([import("./table.js"), import("./game.js")]);
  if (mine !== turn) return;
  const laid = new Table(service, memory, go);
  game = new Game(service, memory, id, () => table === laid && laid.update());
  try {
    await game.open();
  } catch (problem) {
    if (!(problem instanceof Problem)) throw problem;
    if (mine === turn) await leave(id, problem);
    return;
  }
  if (mine !== turn) return;
  table = laid;
  laid.lay(game, root);
}

/** Back to the start from a game that cannot be read, saying why. */
async function leave(id, problem) {
  if (problem.code === "unknown_game") memory.forget(id);
  if (problem.code === "invalid_token") memory.stand(id, game.token);
  history.replaceState(null, "", location.pathname);
  await route(problemText(problem));
}

addEventListener("hashchange", () => route());
addEventListener("pagehide", () => game?.pauseFollowing());
addEventListener("pageshow", (event) => event.persisted && game?.follow());
route();
