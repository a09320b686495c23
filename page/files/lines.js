/* Lines of turns beside the board, as the solution of a puzzle or the refutation of an error: each turn is a button that
   shows the position after it, and the board has an arrow for the turn that comes next. */

import { replace, tag } from "./dom.js";
import { t, valueWords } from "./strings.js";

export class Lines {
  /* `arrows` shows a list of { turn, kind } on the board. */
  constructor({ element, game, arrows }) {
    Object.assign(this, { element, game, arrows, lines: [] });
    this.shown = "[]";
    game.addEventListener("change", () => this.draw());
  }

  /* Shows lines: each has the node where it begins, its turns with their positions, its kind, which is that of its arrows,
     and its title in the language of the page. */
  show(lines) {
    this.lines = lines.filter(({ turns }) => turns.length > 0);
    this.draw();
  }

  clear() {
    if (this.lines.length > 0) this.show([]);
  }

  draw() {
    if (this.lines.some(({ start }) => start.root !== this.game.root)) this.lines = [];
    this.element.hidden = this.lines.length === 0;
    replace(this.element, ...this.lines.map((line, place) => this.row(line, place)));
    const arrows = this.lines.flatMap(line => this.arrow(line));
    const key = JSON.stringify(arrows);
    if (key === this.shown) return;
    this.shown = key;
    this.arrows(arrows);
  }

  row(line, place) {
    const { start, turns, title } = line;
    const made = this.made(line);
    const buttons = turns.map(({ text, value }, number) => tag("button", {
      type: "button", class: "turn", "data-key": `${place} ${number}`, "aria-current": made === number + 1 && "step",
      "aria-label": value ? `${text}, ${valueWords(value)}` : text,
      click: () => this.game.goTo(follow(start, turns.slice(0, number + 1))),
    }, text));
    const from = tag("button", {
      type: "button", class: "turn", "data-key": `${place} start`, "aria-current": made === 0 && "step", click: () => this.game.goTo(start),
    }, t("line.start"));
    return tag("p", { class: "line" }, tag("b", {}, title()), " ", from, ...buttons);
  }

  /* How many turns of a line lead from its start to the node shown; -1 for a node elsewhere. */
  made({ start, turns }) {
    const path = this.game.node.path;
    const after = path.slice(start.ply + 1);
    const isOn = path[start.ply] === start && after.every(({ turn }, number) => turn === turns[number]?.text);
    return isOn ? after.length : -1;
  }

  arrow(line) {
    const made = this.made(line);
    const next = made < 0 ? undefined : line.turns[made];
    return next ? [{ turn: next, kind: line.kind }] : [];
  }
}

/* The node after these turns, which join the tree. */
export const follow = (start, turns) => turns.reduce((node, { text, position }) => node.child(text, position), start);
