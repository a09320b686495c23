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

const SLIDE = { duration: 320, easing: "cubic-bezier(.3, .1, .3, 1)" };
const FLASH = { duration: 1000, easing: "ease-out" };
const FADE = { duration: 600, easing: "ease-in" };
const DRAG = 6; // px that a pointer moves before a press becomes a drag
const REACH = .62; // distance from a point at which a stone drops on it, in steps of the board
const CROSS = "M-.17 -.17L.17 .17M.17 -.17L-.17 .17";
/* The keys that move the focus along the lines, by their places on an English keyboard. */
const STEPS = { KeyA: [-1, 0], KeyD: [1, 0], KeyW: [0, -1], KeyS: [0, 1] };
const still = matchMedia("(prefers-reduced-motion: reduce)");

/* A stone with its shadow, around the origin. */
export const stone = side => [
  svg("ellipse", { class: "shadow", cx: .03, cy: .07, rx: .43, ry: .42, fill: "url(#shadow)" }),
  svg("circle", { class: `stone ${side}`, r: .38, fill: `url(#stone-${side})` }),
  svg("circle", { class: `groove ${side}`, r: .25 }),
  svg("circle", { class: `groove ${side}`, r: .13 }),
];

export class Board {
  /* `choose` is called with the point that was pressed, `cancel` for Escape. `lifts` says whether the stone of a point may be
     dragged; `lifted` is called with the point when that begins, `drop` with the one where it ends, or null. A board without
     these is a picture. */
  constructor(element, { choose, cancel, lifts, lifted, drop } = {}) {
    Object.assign(this, { element, choose, cancel, lifts, lifted, drop, flipped: false, lines: [], points: {} });
    if (!choose) return;
    element.addEventListener("click", event => {
      const point = event.target.closest(".point");
      if (!point || this.dragged) return;
      this.focus(point.dataset.point);
      choose(point.dataset.point);
    });
    element.addEventListener("pointerdown", event => {
      const name = event.target.closest(".point")?.dataset.point;
      this.dragged = false;
      if (name && lifts(name)) this.lift(event, this.points[name].dataset.side, name);
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
    this.element.setAttribute("viewBox", "-3.8 -3.8 7.6 7.6");
    const ground = [
      svg("rect", { class: "frame", x: -3.78, y: -3.78, width: 7.56, height: 7.56, rx: .22 }),
      svg("rect", { class: "ground", x: -3.7, y: -3.7, width: 7.4, height: 7.4, rx: .16 }),
      svg("path", { class: "grain", d: grain() }),
    ];
    // Each line is engraved: a light edge below a dark groove.
    const grid = ["edge", "grid"].flatMap(name => this.lines.map(line => svg("path", { class: name, d: this.path(line) })));
    this.mills = svg("g", { "aria-hidden": "true" });
    this.arrows = svg("g", { class: "arrows", "aria-hidden": "true" });
    this.ghost = svg("g", { class: "ghost", "aria-hidden": "true" });
    this.points = {};
    const points = POINTS.map(point => this.points[point.name] = this.drawPoint(point));
    const parts = [...ground, ...grid, this.mills, ...points, this.arrows, this.ghost];
    if (coordinates) parts.push(this.names());
    this.element.replaceChildren(...parts);
    if (!this.choose) return;
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
        svg("text", { x: i - 3, y: 3.62 }, "abcdefg"[turned(i)]),
        svg("text", { x: -3.55, y: i - 2.93 }, String(7 - turned(i))));
    }
    return names;
  }

  drawPoint({ name }) {
    const transform = `translate(${this.at(name).join(" ")})`;
    const parts = [svg("circle", { class: "dot", r: .075 }), svg("g", { class: "piece" })];
    if (!this.choose) return svg("g", { transform }, ...parts);
    return svg("g", { class: "point", id: name, "data-point": name, role: "button", tabindex: -1, transform },
      svg("circle", { class: "hit", r: .49 }),
      svg("circle", { class: "ring", r: .44 }),
      ...parts,
      svg("circle", { class: "target", r: .44 }),
      svg("path", { class: "cross", d: CROSS }),
      svg("circle", { class: "mark none", r: .12 }),
      ...["win", "draw", "loss"].map(shape),
      svg("text"),
      svg("circle", { class: "focus", r: .48 }));
  }

  /* Shows stones and marks. For each point: `side`, `classes`, `text` in the mark, how `strong` the mark is, `label` to read
     aloud, `open` if it can be chosen. `mills` are lines to stand out. */
  show({ points, mills }) {
    for (const { name } of POINTS) {
      const point = this.points[name];
      const { side, classes = [], text = "", strong = 4, label, open } = points[name];
      if ((point.dataset.side ?? "") !== (side ?? "")) {
        point.dataset.side = side ?? "";
        point.querySelector(".piece").replaceChildren(...side ? stone(side) : []);
      }
      if (!this.choose) continue;
      point.setAttribute("class", ["point", side, open && "open", `strong-${strong}`, ...classes].filter(Boolean).join(" "));
      point.querySelector("text").textContent = text;
      point.setAttribute("aria-label", label);
      point.setAttribute("aria-disabled", String(!open));
    }
    this.mills.replaceChildren(...mills.map(({ line, side }) => svg("path", { class: `mill ${side}`, d: this.path(line) })));
  }

  /* Animates the stones of a turn, and the mills that it closed; the board already shows the position after it. */
  animate({ from, to, removed }, side, mills) {
    const dropped = this.dropped === to;
    this.dropped = null;
    if (still.matches) return;
    if (to && !dropped) {
      const piece = this.points[to].querySelector(".piece");
      const [x, y] = this.at(to);
      const [fromX, fromY] = from ? this.at(from) : [x, y];
      const start = from ? `translate(${fromX - x}px, ${fromY - y}px)` : "scale(1.5)";
      const begin = from ? { transform: start } : { transform: start, opacity: 0 };
      piece.animate([begin, { transform: "none", opacity: 1 }], SLIDE);
    }
    for (const line of mills) {
      const flash = svg("path", { class: "flash", d: this.path(line) });
      this.arrows.before(flash);
      flash.animate([{ opacity: 0 }, { opacity: 1, offset: .25 }, { opacity: 0 }], FLASH).finished.finally(() => flash.remove());
    }
    for (const name of removed) {
      const gone = svg("g", { class: "fading", transform: `translate(${this.at(name).join(" ")})` },
        svg("g", {}, ...stone(side === "white" ? "black" : "white")));
      this.arrows.before(gone);
      const [piece] = gone.children;
      const way = [{ opacity: 1, transform: "none" }, { opacity: 0, transform: "scale(.4)" }];
      piece.animate(way, FADE).finished.finally(() => gone.remove());
    }
  }

  /* Shows a preview of a turn, or removes it. */
  preview(turn, side) {
    if (!turn) { this.ghost.replaceChildren(); return; }
    const parts = [];
    if (turn.to) {
      const transform = `translate(${this.at(turn.to).join(" ")})`;
      parts.push(svg("g", { class: "faint", transform }, ...stone(side)));
      if (turn.from) parts.push(this.arrow(turn.from, turn.to, "preview"));
    }
    this.ghost.replaceChildren(...parts, ...turn.removed.map(name => this.crossOut(name, "preview")));
  }

  /* Draws arrows: each { turn, kind } as one for a slide, a ring for a placement, a cross for a removal. */
  point(arrows) {
    const parts = arrows.flatMap(({ turn: { from, to, removed }, kind }) => [
      from && to && this.arrow(from, to, kind),
      !from && to && svg("circle", { class: `place ${kind}`, r: .43, cx: this.at(to)[0], cy: this.at(to)[1] }),
      ...removed.map(name => this.crossOut(name, kind)),
    ]);
    this.arrows.replaceChildren(...parts.filter(Boolean));
  }

  arrow(from, to, kind) {
    const [[x1, y1], [x2, y2]] = [this.at(from), this.at(to)];
    const length = Math.hypot(x2 - x1, y2 - y1);
    const [dx, dy] = [(x2 - x1) / length, (y2 - y1) / length];
    const on = (along, aside) => `${x1 + dx * along - dy * aside} ${y1 + dy * along + dx * aside}`;
    const [begin, neck, tip] = [.2, length - .42, length - .1];
    const d = `M${on(begin, .055)}L${on(neck, .075)}L${on(neck, .2)}L${on(tip, 0)}L${on(neck, -.2)}L${on(neck, -.075)}L${on(begin, -.055)}Z`;
    return svg("path", { class: `arrow ${kind}`, d });
  }

  crossOut(name, kind) {
    return svg("g", { class: `out ${kind}`, transform: `translate(${this.at(name).join(" ")})` },
      svg("circle", { class: "target", r: .44 }), svg("path", { class: "cross", d: CROSS }));
  }

  /* Lets a stone follow the pointer: that of a point, or one from the hand. */
  lift(event, side, from = null) {
    if (event.button !== 0) return;
    const { pointerId, clientX, clientY } = event;
    const ending = new AbortController();
    const options = { signal: ending.signal };
    const lifted = svg("g", { class: "lifted" }, ...stone(side));
    const isMine = other => other.pointerId === pointerId;
    // A finger that stays on the board must not become a gesture of the browser.
    event.target.releasePointerCapture?.(pointerId);
    const end = () => {
      ending.abort();
      lifted.remove();
      this.element.classList.remove("dragging");
    };
    addEventListener("pointermove", other => {
      if (!isMine(other)) return;
      if (!this.dragged) {
        if (Math.hypot(other.clientX - clientX, other.clientY - clientY) < DRAG) return;
        this.dragged = true;
        if (from) this.lifted(from);
        this.element.classList.add("dragging");
        this.element.append(lifted);
      }
      lifted.setAttribute("transform", `translate(${this.place(other).join(" ")})`);
    }, options);
    addEventListener("pointerup", other => {
      if (!isMine(other)) return;
      end();
      if (!this.dragged) return;
      const name = this.near(this.place(other));
      this.dropped = name;
      this.drop(name === from ? null : name);
      this.dropped = null;
      // The click that follows belongs to the drag.
      setTimeout(() => { this.dragged = false; });
    }, options);
    addEventListener("pointercancel", other => { if (isMine(other)) { end(); this.dragged = false; this.drop(null); } }, options);
  }

  /* The place of a pointer on the board. */
  place({ clientX, clientY }) {
    const { left, top, width } = this.element.getBoundingClientRect();
    return [(clientX - left) / width * 7.6 - 3.8, (clientY - top) / width * 7.6 - 3.8];
  }

  near([x, y]) {
    return POINTS.map(({ name }) => name).find(name => {
      const [pointX, pointY] = this.at(name);
      return Math.hypot(pointX - x, pointY - y) < REACH;
    }) ?? null;
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

/* The grain of the ground: lines across it, each with a slow wave of its own. */
function grain() {
  const lines = Array.from({ length: 23 }, (_, place) => {
    const y = -3.55 + place * .31 + .12 * Math.sin(place * 2.4);
    const bend = [1, 2, 3].map(part => (.16 * Math.sin(place * 1.7 + part * 2.1)).toFixed(3));
    return `M-3.66 ${y.toFixed(3)}c1.6 ${bend[0]} 2.6 ${bend[1]} 3.7 ${bend[1]}s2.4 ${bend[2]} 3.6 ${bend[0]}`;
  });
  return lines.join("");
}

/* The words of screen readers for a point. */
export const pointWords = (name, side) => `${name}, ${side ? t(`stone.${side}`) : t("stone.none")}`;
