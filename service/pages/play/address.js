// What the address says. All of it stands in the fragment, which browsers send to nobody.

const GAME = /^#([A-Za-z0-9_-]{1,64})(?::([A-Za-z0-9_-]{1,200}))?$/;

/** The game that a fragment names, and the token that an invitation hands over: both null when there are none. */
export function read(fragment) {
  const [, game = null, token = null] = GAME.exec(fragment) ?? [];
  return { game, token };
}

/** The fragment of a game. */
export function fragmentOf(game) {
  return `#${game}`;
}

/** The link that seats whoever opens it. */
export function invitation(page, game, token) {
  const link = new URL(page);
  link.search = "";
  link.hash = `${fragmentOf(game)}:${token}`;
  return link.href;
}
