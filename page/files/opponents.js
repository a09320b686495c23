/* The opponents: a level of the player with a name and a face each. */

import { svg } from "./dom.js";
import { PERFECT } from "./game.js";

/* [level, name, skin, hair, form of the hair, what the face wears]. The words for a level agree with its person. */
const OPPONENTS = [
  [0, "Pip", "#f3c9a5", "#d98e3a", "tuft", "freckles"],
  [3, "Lotte", "#f6d3b8", "#8a4b20", "plaits", null],
  [6, "Bruno", "#d9a066", "#3b2417", "curls", null],
  [9, "Clara", "#f0c39b", "#b9502b", "bob", null],
  [12, "Emil", "#eebd92", "#5a3a22", "parting", "glasses"],
  [15, "Amara", "#9a623b", "#1d1512", "bun", null],
  [18, "Oskar", "#f2c8a8", "#a8763e", "cap", null],
  [21, "Mei", "#efc9a0", "#1b1a1f", "bob", "glasses"],
  [24, "Viktor", "#e5b78f", "#4a4a4f", "parting", "beard"],
  [26, "Selma", "#c98f63", "#5b2333", "bun", "glasses"],
  [28, "Leopold", "#f1cdb0", "#cfcac2", "bald", "beard"],
  [PERFECT, "Minerva", "#cfd8e3", "#40516b", "owl", null],
];

export const LEVELS = OPPONENTS.map(([level]) => level);

/* The listed level for any: a saved game may have one that is not in the list. */
export const listed = level => LEVELS.findLast(number => number <= level);

const opponent = level => OPPONENTS.find(([number]) => number === listed(level));
export const opponentName = level => opponent(level)[1];

const path = (fill, d) => svg("path", { fill, d });
const line = (stroke, d) => svg("path", { stroke, d, fill: "none", "stroke-width": 1.6, "stroke-linecap": "round" });
const dot = (cx, cy, r, fill) => svg("circle", { cx, cy, r, fill });

/* The hair behind the face, and that above it. */
const HAIR = {
  tuft: c => [[], [path(c, "M13 20c0-9 6-12 11-12s11 3 11 12c-4-5-7-6-10-6s-8 1-12 6"), path(c, "M22 9c0-5 4-6 6-5-1 2-1 3 0 5")]],
  plaits: c => [[dot(10, 28, 4.5, c), dot(38, 28, 4.5, c)], [path(c, "M12 22c0-10 6-14 12-14s12 4 12 14c-5-7-8-8-12-8s-7 1-12 8")]],
  curls: c => [[], [dot(15, 16, 5, c), dot(21, 11, 5, c), dot(28, 11, 5, c), dot(33, 16, 5, c)]],
  bob: c => [[path(c, "M10 34V21c0-9 7-13 14-13s14 4 14 13v13z")], [path(c, "M12 21c0-9 6-12 12-12s12 3 12 12c-7 0-10-3-13-6-2 3-6 6-11 6")]],
  parting: c => [[], [path(c, "M12 21c-1-9 5-13 13-13 7 0 12 4 11 13-2-4-3-6-5-7-5 1-10 0-12-1-3 2-5 4-7 8")]],
  bun: c => [[dot(24, 6, 5, c)], [path(c, "M12 22c0-10 6-14 12-14s12 4 12 14c-3-6-6-8-12-8s-9 2-12 8")]],
  cap: c => [[], [path("#2f6f5e", "M11 19c0-8 6-12 13-12s13 4 13 12z"), path("#24564a", "M9 18h30v3H9z"), path(c, "M12 21h4v4h-4zM32 21h4v4h-4z")]],
  bald: c => [[path(c, "M11 30c-2-4-2-8 0-11h26c2 3 2 7 0 11z")], []],
  owl: c => [[path(c, "M9 8l8 5h14l8-5v20c0 10-7 15-15 15S9 38 9 28z")], []],
};

const WEARS = {
  freckles: () => [...[[17, 28], [19, 30], [31, 28], [29, 30]].map(([x, y]) => dot(x, y, .8, "#b9713f"))],
  glasses: () => [line("#2b2622", "M14 24a4 4 0 1 0 8 0a4 4 0 1 0-8 0M26 24a4 4 0 1 0 8 0a4 4 0 1 0-8 0M22 24h4")],
  beard: hair => [path(hair, "M13 27c1 11 6 14 11 14s10-3 11-14c-3 4-6 5-11 5s-8-1-11-5")],
};

/* The face of a level, as a drawing. */
export function face(level) {
  const [, , skin, hair, form, wears] = opponent(level);
  const [behind, above] = HAIR[form](hair);
  const bird = form === "owl";
  const head = bird
    ? [dot(18, 22, 7, skin), dot(30, 22, 7, skin), path("#e0a13a", "M22 26h4l-2 5z")]
    : [svg("ellipse", { cx: 24, cy: 25, rx: 12, ry: 13.5, fill: skin })];
  const eyes = bird ? [dot(18, 22, 3.4, "#1d1a18"), dot(30, 22, 3.4, "#1d1a18"), dot(19, 21, 1, "#fff"), dot(31, 21, 1, "#fff")]
    : [dot(18.5, 24, 1.6, "#2b2622"), dot(29.5, 24, 1.6, "#2b2622"), line("#8a4b3a", "M20 32q4 3 8 0")];
  const worn = wears ? WEARS[wears](hair) : [];
  const mouth = wears === "beard" ? [line("#7c3b30", "M21 34q3 2 6 0")] : [];
  return svg("svg", { class: "face", viewBox: "0 0 48 48", "aria-hidden": "true" },
    svg("circle", { class: "backdrop", cx: 24, cy: 24, r: 24 }), ...behind, ...head, ...above, ...eyes, ...worn, ...mouth);
}

/* The picture of a person at the board. */
export const person = () => svg("svg", { class: "face", viewBox: "0 0 48 48", "aria-hidden": "true" },
  svg("circle", { class: "backdrop", cx: 24, cy: 24, r: 24 }),
  svg("circle", { class: "figure", cx: 24, cy: 19, r: 8 }), svg("path", { class: "figure", d: "M8 42c2-10 9-14 16-14s14 4 16 14z" }));
