/* The board: drawing, input, animation and the texts for screen readers. It shows the position that it
   is given; of the rules it knows only the points on each line. */

import { shape, svg } from "./dom.js";
import { t } from "./strings.js";

/* Names and places of the points in the order of position texts. */
const AROUND = [[0, -1], [1, -1], [1, 0], [1, 1], [0, 1], [-1, 1], [-1, 0], [-1, -1]];
const nameAt = (x, y) => "abcdefg"[x + 3] + (4 - y);
export const POINTS = [1, 2, 3].flatMap(r => AROUND.map(([x, y]) => ({ name: nameAt(r * x, r * y), x: r * x, y: r * y })));
const PLACE = Object.fromEntries(POINTS.map(point => [point.name, point]));

const STRAIGHT = [1, 2, 3].flatMap(r => [
  [[-r, -r], [0, -r], [r, -r]], [[r, -r], [r, 0], [r, r]], [[r, r], [0, r], [-r, r]], [[-r, r], [-r, 0], [-r, -r]],
]).concat([[0, -1], [1, 0], [0, 1], [-1, 0]].map(([x, y]) => [3, 2, 1].map(r => [r * x, r * y])))
  .map(line => line.map(([x, y]) => nameAt(x, y)));
const DIAGONAL = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => [3, 2, 1].map(r => nameAt(r * x, r * y)));

/* The lines of the board. */
export const linesOf = diagonals => diagonals ? [...STRAIGHT, ...DIAGONAL] : STRAIGHT;

/* The side on each point, from a position's text. */
export function stonesOf(position) {
  const letters = position.split(" ")[0].replaceAll("/", "");
  const stones = {};
  POINTS.forEach(({ name }, place) => {
    if (letters[place] === "O") stones[name] = "white";
    if (letters[place] === "@") stones[name] = "black";
  });
  return stones;
}

/* The lines through a point that one side holds. */
export const millsThrough = (point, stones, lines) =>
  lines.filter(line => line.includes(point) && stones[point] && line.every(name => stones[name] === stones[point]));

const SLIDE = { duration: 220, easing: "ease-in-out" };
/* The keys that move the focus along the lines, where they lie on an English keyboard. */
const STEPS = { KeyA: [-1, 0], KeyD: [1, 0], KeyW: [0, -1], KeyS: [0, 1] };
const still = matchMedia("(prefers-reduced-motion: reduce)");

export class Board {
  /* `choose` is called with the clicked point, `cancel` for Escape. */
  constructor(element, { choose, cancel }) {
    this.element = element;
    this.flipped = false;
    this.lines = [];
    this.points = {};
    element.addEventListener("click", event => {
      const point = event.target.closest(".point");
      if (!point) return;
      this.focus(point.dataset.point);
      choose(point.dataset.point);
    });
    element.addEventListener("keydown", event => {
      const name = event.target.closest(".point")?.dataset.point;
      if (!name || event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.code in STEPS) this.focus(this.along(name, STEPS[event.code]));
      else if (event.key === "Enter" || event.key === " ") choose(name);
      else if (event.key === "Escape") cancel();
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  /* Draws the empty board of some rules. */
  draw({ diagonals, coordinates, flipped }) {
    const key = JSON.stringify([diagonals, coordinates, flipped]);
    if (key === this.drawn) return;
    this.drawn = key;
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.point : null;
    this.flipped = flipped;
    this.lines = linesOf(diagonals);
    const edge = coordinates ? .82 : .62;
    this.element.setAttribute("viewBox", `${-3 - edge} ${-3 - .62} ${6 + edge + .62} ${6 + edge + .62}`);
    const wood = svg("rect", { class: "wood", x: -3 - edge + .02, y: -3.6, width: 6 + edge + .58, height: 6 + edge + .58, rx: .25 });
    const grid = this.lines.map(line => svg("path", { class: "grid", d: this.path(line) }));
    this.mills = svg("g", { "aria-hidden": "true" });
    this.ghost = svg("g", { class: "ghost", "aria-hidden": "true" });
    this.points = {};
    const points = POINTS.map(point => this.points[point.name] = this.drawPoint(point));
    const parts = [wood, ...grid, this.mills, ...points, this.ghost];
    if (coordinates) parts.push(this.names());
    this.element.replaceChildren(...parts);
    this.roam(focused ?? "d7");
    if (focused) this.focus(focused);
  }

  at(name) {
    const { x, y } = PLACE[name];
    return this.flipped ? [-x, -y] : [x, y];
  }

  path(line) {
    const [[x1, y1], [x2, y2]] = [this.at(line[0]), this.at(line[2])];
    return `M${x1} ${y1}L${x2} ${y2}`;
  }

  names() {
    const names = svg("g", { class: "names", "aria-hidden": "true" });
    const turned = number => this.flipped ? 6 - number : number;
    for (let i = 0; i < 7; i++) {
      names.append(
        svg("text", { x: i - 3, y: 3.68 }, "abcdefg"[turned(i)]),
        svg("text", { x: -3.6, y: i - 2.92 }, String(7 - turned(i))));
    }
    return names;
  }

  drawPoint({ name }) {
    return svg("g", { class: "point", id: name, "data-point": name, role: "button", tabindex: -1, transform: `translate(${this.at(name).join(" ")})` },
      svg("circle", { class: "hit", r: .49 }),
      svg("circle", { class: "dot", r: .075 }),
      svg("g", { class: "piece" }, svg("circle", { class: "stone", r: .4 })),
      svg("circle", { class: "ring", r: .45 }),
      svg("circle", { class: "target", r: .46 }),
      svg("path", { class: "cross", d: "M-.2 -.2L.2 .2M.2 -.2L-.2 .2" }),
      svg("circle", { class: "mark none", r: .14 }),
      ...["win", "draw", "loss"].map(shape),
      svg("text"),
      svg("circle", { class: "focus", r: .48 }));
  }

  /* Shows stones and marks. For each point: `side`, `classes`, `text` in the mark, `label` to read
     aloud, `open` if it can be chosen. `mills` are lines to stand out. */
  show({ points, mills }) {
    for (const { name } of POINTS) {
      const point = this.points[name];
      const { side, classes = [], text = "", label, open } = points[name];
      point.setAttribute("class", ["point", side, open && "open", ...classes].filter(Boolean).join(" "));
      point.querySelector("text").textContent = text;
      point.setAttribute("aria-label", label);
      point.setAttribute("aria-disabled", String(!open));
    }
    this.mills.replaceChildren(...mills.map(({ line, side }) => svg("path", { class: `mill ${side}`, d: this.path(line) })));
  }

  /* Animates the stones of a turn; the board already shows the position after it. */
  animate({ from, to, removed }, side) {
    if (still.matches) return;
    if (to) {
      const piece = this.points[to].querySelector(".piece");
      const [x, y] = this.at(to);
      const [fromX, fromY] = from ? this.at(from) : [x, y];
      const start = from ? `translate(${fromX - x}px, ${fromY - y}px)` : "scale(.3)";
      piece.animate([{ transform: start }, { transform: "none" }], SLIDE);
    }
    for (const name of removed) {
      const [x, y] = this.at(name);
      const stone = svg("circle", { class: `fading ${side === "white" ? "black" : "white"}`, cx: x, cy: y, r: .4 });
      this.element.append(stone);
      stone.animate([{ opacity: 1 }, { opacity: 0 }], { duration: 450 }).finished.finally(() => stone.remove());
    }
  }

  /* Shows a preview of a turn, or removes it. */
  preview(turn, side) {
    if (!turn) { this.ghost.replaceChildren(); return; }
    const parts = [];
    if (turn.to) {
      const [x, y] = this.at(turn.to);
      if (turn.from) {
        const [fromX, fromY] = this.at(turn.from);
        parts.push(svg("path", { class: "way", d: `M${fromX} ${fromY}L${x} ${y}` }));
      }
      parts.push(svg("circle", { class: `stone ${side}`, cx: x, cy: y, r: .4 }));
    }
    for (const name of turn.removed) {
      const [x, y] = this.at(name);
      parts.push(svg("circle", { class: "target", cx: x, cy: y, r: .46 }),
        svg("path", { class: "cross", transform: `translate(${x} ${y})`, d: "M-.2 -.2L.2 .2M.2 -.2L-.2 .2" }));
    }
    this.ghost.replaceChildren(...parts);
  }

  /* Makes one point the only stop of the tab key. */
  roam(name) {
    for (const [other, point] of Object.entries(this.points)) point.setAttribute("tabindex", other === name ? 0 : -1);
  }

  focus(name) {
    this.roam(name);
    this.points[name].focus({ preventScroll: true });
  }

  /* Moves the focus to the point of the board that had it last. */
  focusAnywhere() {
    this.element.querySelector(".point[tabindex='0']").focus({ preventScroll: true });
  }

  /* The next point in this direction of the screen on a line, or the point itself. */
  along(name, [dx, dy]) {
    const [x, y] = this.at(name);
    for (const line of this.lines) {
      const at = line.indexOf(name);
      for (const next of at < 0 ? [] : [line[at - 1], line[at + 1]]) {
        if (!next) continue;
        const [nextX, nextY] = this.at(next);
        if (Math.sign(nextX - x) === dx && Math.sign(nextY - y) === dy) return next;
      }
    }
    return name;
  }
}

/* The words of screen readers for a point. */
export const pointWords = (name, side) => `${name}, ${side ? t(`stone.${side}`) : t("stone.none")}`;
