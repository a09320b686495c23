/* The panels beside the board, one of which is shown. */

import { $ } from "./dom.js";

/* Where the turns have a column of their own beside the other panels. */
const wide = matchMedia("(min-width: 84rem) and (min-height: 40rem)");
const tabs = [...document.querySelectorAll("[role=tab]")];
let selected = null;
let changed = null;

/* Shows the panel with this name: game, turns, setup, learn or options. */
export function showPanel(name) {
  const now = wide.matches && name === "turns" ? "game" : name;
  for (const tab of tabs) {
    const isNow = tab.id === `tab-${now}`;
    tab.setAttribute("aria-selected", String(isNow));
    tab.tabIndex = isNow ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !isNow;
  }
  selected = now;
  changed(now);
}

/* `shown` is called with the name of the panel that is shown. */
export function listenToTabs(shown) {
  changed = shown;
  const choose = tab => showPanel(tab.id.replace("tab-", ""));
  for (const tab of tabs) {
    tab.addEventListener("click", () => choose(tab));
    tab.addEventListener("keydown", event => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      const shown = tabs.filter(other => other.offsetParent !== null);
      const next = shown[(shown.indexOf(tab) + by + shown.length) % shown.length];
      choose(next);
      next.focus();
      event.preventDefault();
    });
  }
  wide.addEventListener("change", () => { if (selected === "turns") showPanel("turns"); });
  showPanel("game");
}
