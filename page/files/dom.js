/* Makes elements, and replaces them without losing the focus. */

export const $ = id => document.getElementById(id);

const SVG = "http://www.w3.org/2000/svg";

/* An element with attributes, except those that are false or null. */
export const tag = (name, attributes, ...children) =>
  dress(document.createElement(name), attributes, children);

/* The same for a part of a drawing. */
export const svg = (name, attributes, ...children) =>
  dress(document.createElementNS(SVG, name), attributes, children);

function dress(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (typeof value === "function") element.addEventListener(key, value);
    else if (value !== false && value != null) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter(child => child != null && child !== false));
  return element;
}

/* Replaces the children of an element. If one of them had the focus, the element with the same `data-key`
   gets it, else the first that can have it, else the element itself. */
export function replace(parent, ...children) {
  const active = document.activeElement;
  // A list that was reached by itself keeps the focus; one that got it from a child gives it back.
  const held = parent.contains(active) && !(active === parent && parent.tabIndex === 0) ? active : null;
  parent.replaceChildren(...children.filter(child => child != null && child !== false));
  if (!held) return;
  const key = held.dataset.key;
  const same = key && [...parent.querySelectorAll("[data-key]")].find(other => other.dataset.key === key);
  const next = same ?? parent.querySelector("button, a, input, select");
  if (!next && !parent.hasAttribute("tabindex")) parent.tabIndex = -1;
  (next ?? parent).focus();
}

/* Shows or hides an element; moves the focus on if it would be lost. */
export function show(element, shown, next) {
  if (!shown && element.contains(document.activeElement)) next?.focus();
  element.hidden = !shown;
}

/* Sets a text only if it differs, so that screen readers read it once. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const SHAPES = {
  win: { class: "mark up", d: "M0 -.34L.3 -.12V.25H-.3V-.12Z" },
  draw: { class: "mark flat", d: "M-.29 -.21H.29V.21H-.29Z" },
  loss: { class: "mark down", d: "M0 .34L.3 .12V-.25H-.3V.12Z" },
};

/* The shape of a win, draw or loss. */
export const shape = wdl => svg("path", SHAPES[wdl]);

export const icon = wdl => svg("svg", { viewBox: "-.42 -.42 .84 .84", "aria-hidden": "true" }, shape(wdl));

export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Pages without a secure origin have no clipboard, but can copy a selection.
    const field = tag("textarea", {});
    field.value = text;
    const focused = document.activeElement;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
    focused?.focus();
  }
}
