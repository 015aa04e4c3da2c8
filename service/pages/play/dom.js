// Elements, made without any markup in strings: what a text says can never become an element.

const SVG = "http://www.w3.org/2000/svg";
const SVG_TAGS = new Set(["svg", "symbol", "path", "use", "circle", "line", "polyline", "rect", "text", "g", "ellipse"]);

/**
 * An element. Attributes: `on` holds listeners, `vars` style variables, `text` the text; true sets an attribute
 * without a value; false, null and undefined leave it out. Children that are null or false are left out.
 */
export function h(tag, attributes = {}, ...children) {
  const element = SVG_TAGS.has(tag) ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "on") for (const [type, listener] of Object.entries(value)) element.addEventListener(type, listener);
    else if (name === "vars") setVars(element, value);
    else if (name === "text") element.textContent = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== false && child !== undefined));
  return element;
}

/** Style variables, which a strict Content-Security-Policy lets scripts set. */
export function setVars(element, vars) {
  for (const [name, value] of Object.entries(vars)) element.style.setProperty(name, String(value));
}

/** Sets or removes an attribute, and only when that changes something. */
export function mark(element, name, value) {
  if (element.getAttribute(name) === (value === null ? null : String(value))) return;
  if (value === null) element.removeAttribute(name);
  else element.setAttribute(name, String(value));
}

/** A part of the page that is made anew only when what it shows has changed; the focus stays where it was. */
export class Region {
  #shown = null;

  constructor(element) {
    this.element = element;
  }

  /** Shows what `make` makes, unless `key` is what it was made from before. */
  show(key, make) {
    const now = JSON.stringify(key);
    if (now === this.#shown) return false;
    this.#shown = now;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
    this.element.replaceChildren(...[make()].flat(Infinity).filter(Boolean));
    if (focused !== undefined) this.element.querySelector(`[data-focus="${CSS.escape(focused)}"]`)?.focus();
    return true;
  }
}

/** A button. `name` is also what its focus is remembered by. */
export function button(name, text, press, attributes = {}) {
  return h("button", { type: "button", "data-focus": name, text, on: { click: press }, ...attributes });
}

/** An icon from the page's own pictures (art.js). */
export function icon(name) {
  return h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" }, h("use", { href: `#icon-${name}` }));
}

/** Whether the reader has asked for less movement. */
export function calm() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}
