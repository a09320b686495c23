/* Stepping through the game by the keys and by the wheel over the board; ? lists all keys. */

import { $ } from "./dom.js";

const STEPS = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
const NOTCH = 100; // px that the wheel turns for a step

/* `isOn` says whether the game may step, `isElsewhere` whether the page shows something other than the table. */
export function listenToSteps({ game, isOn, isElsewhere }) {
  /* The keys step, unless the focused element uses them. */
  addEventListener("keydown", event => {
    const { key, target } = event;
    if (event.altKey || event.ctrlKey || event.metaKey || isElsewhere() || document.querySelector("dialog[open]")) return;
    if (key === "?" && !target.closest("input, select, textarea")) $("keys").showModal();
    const scrolls = ["Home", "End"].includes(key) && target.closest(".scroll");
    if (!isOn() || scrolls || target.closest("input, select, textarea, [role=tab]") || !(key in STEPS)) return;
    event.preventDefault();
    game.step(STEPS[key]);
  });
  /* The wheel steps once for each notch, or for as long a stroke of a touchpad. */
  let wheel = 0;
  $("board").addEventListener("wheel", event => {
    if (event.ctrlKey || !isOn()) return;
    event.preventDefault();
    const turned = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : Math.sign(event.deltaY) * NOTCH;
    // A stroke in the other direction begins anew.
    wheel = wheel * turned < 0 ? turned : wheel + turned;
    const steps = Math.trunc(wheel / NOTCH);
    wheel -= steps * NOTCH;
    if (steps !== 0) game.step(steps);
  }, { passive: false });
}
