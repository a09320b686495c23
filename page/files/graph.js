/* The value over the game as a small drawing: up is good for White. A click shows the turn. */

import { svg } from "./dom.js";
import { worth } from "./game.js";
import { faultOf } from "./grade.js";
import { t } from "./strings.js";

const WIDTH = 320;
const HEIGHT = 84;
const EDGE = 6;

/* Draws the line through the game's node, and marks turns that gave something away. */
export function drawGraph(element, game) {
  const line = game.node.wholeLine;
  const last = Math.max(1, line.length - 1);
  const x = place => EDGE + (WIDTH - 2 * EDGE) * place / last;
  const y = amount => HEIGHT / 2 - (HEIGHT / 2 - EDGE) * amount;
  const parts = [
    svg("rect", { class: "graph-white", x: 0, y: 0, width: WIDTH, height: HEIGHT / 2 }),
    svg("rect", { class: "graph-black", x: 0, y: HEIGHT / 2, width: WIDTH, height: HEIGHT / 2 }),
    svg("path", { class: "graph-middle", d: `M0 ${HEIGHT / 2}H${WIDTH}` }),
  ];
  let before = null;
  const faults = line.filter(faultOf);
  const marks = [];
  for (const [place, node] of line.entries()) {
    const now = worth(node);
    if (now && before) {
      const kind = now.known && before.known ? "known" : "guess";
      parts.push(svg("path", { class: `graph-line ${kind}`, d: `M${x(place - 1)} ${y(before.amount)}L${x(place)} ${y(now.amount)}` }));
    }
    if (now && faults.includes(node)) {
      marks.push(svg("circle", { class: "graph-fault", cx: x(place), cy: y(now.amount), r: 4 }));
    }
    before = now;
  }
  const here = line.indexOf(game.node);
  parts.push(svg("path", { class: "graph-here", d: `M${x(here)} 0V${HEIGHT}` }), ...marks);
  element.replaceChildren(...parts);
  element.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  element.setAttribute("aria-label", faults.length > 0 ? t("graph.faults", { turns: faults.map(({ turn }) => turn).join(", ") }) : t("graph.label"));
  element.onclick = event => {
    const { left, width } = element.getBoundingClientRect();
    const place = ((event.clientX - left) / width * WIDTH - EDGE) / (WIDTH - 2 * EDGE) * last;
    game.goTo(line[Math.max(0, Math.min(line.length - 1, Math.round(place)))]);
  };
}
