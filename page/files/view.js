/* The view of the game on the board: stones, marks for the values, the points that are open, arrows. */

import { POINTS, millsThrough, pointWords, stonesOf } from "./board.js";
import { hardness } from "./explorer.js";
import { weight } from "./game.js";
import { faultOf } from "./grade.js";
import { settings } from "./store.js";
import { t, valueWords } from "./strings.js";
import { threats } from "./threats.js";

export class View {
  /* `values` says whether values are shown, `bestOf` has the best turn of a node where it is known. */
  constructor({ board, game, choice, editor, hint, ruleset, values, bestOf }) {
    Object.assign(this, { board, game, choice, editor, hint, ruleset, values, bestOf, looked: null, ofLines: [], ofTask: [] });
  }

  /* Previews the position after a turn of a line, or ends the preview. */
  look(turn) {
    this.looked = turn;
    this.show();
  }

  /* Draws the arrows of lines or those of a task, which take the place of all others. */
  pointLines(arrows) {
    this.ofLines = arrows;
    this.board.point(this.arrows);
  }

  pointTask(arrows) {
    this.ofTask = arrows;
    this.board.point(this.arrows);
  }

  show() {
    const { board, choice, editor, looked } = this;
    const { diagonals } = this.ruleset.now;
    board.draw({ diagonals, coordinates: settings.coordinates, flipped: settings.flipped });
    board.element.classList.toggle("previewing", looked !== null);
    if (editor.active) {
      board.show(editor.view);
      board.point([]);
    } else if (looked) {
      const held = stonesOf(looked.position);
      const points = Object.fromEntries(POINTS.map(({ name }) => [name, { side: held[name], label: pointWords(name, held[name]) }]));
      board.show({ points, mills: [] });
      board.point([{ turn: looked, kind: "preview" }]);
    } else {
      const held = choice.stones;
      const [arrived, ...taken] = (this.game.node.turn ?? "").split("x");
      const closed = choice.to ?? arrived.slice(-2);
      const mills = choice.removes || taken.length > 0 ? millsThrough(closed, held, board.lines) : [];
      board.show({ points: this.points(held, arrived, taken, mills), mills: mills.map(line => ({ line, side: held[closed] })) });
      board.point(this.arrows);
    }
  }

  /* The best turn through each open point, as far as values are known. */
  get openPoints() {
    const { game, choice } = this;
    const best = new Map();
    for (const turn of game.handMoves ? choice.candidates : []) {
      for (const point of choice.next(turn)) {
        const known = best.get(point);
        const isBetter = known?.value && (weight(turn.value) > weight(known.value)
          || weight(turn.value) === weight(known.value) && hardness(turn) > hardness(known));
        if (!known || isBetter) best.set(point, turn);
      }
    }
    return best;
  }

  points(held, arrived, taken, mills) {
    const { game, choice, hint } = this;
    const values = this.values();
    const best = this.openPoints;
    const { removes } = choice;
    // The best turns stand out where others are worse.
    const most = best.size > 0 && game.node.answer?.value ? weight(game.turns[0].value) : null;
    const isBest = value => value && weight(value) === most;
    const differ = ![...best.values()].every(({ value }) => isBest(value));
    const points = {};
    for (const { name } of POINTS) {
      const open = best.has(name);
      const value = values ? best.get(name)?.value : null;
      const isChosen = name === choice.from || name === choice.to;
      const isHinted = hint.points.includes(name) && !choice.to;
      const classes = [
        open && (value ? value.wdl : "plain"),
        open && choice.from && !held[name] && "target-of",
        choice.lifts(name) && "lifts",
        open && removes && "removable",
        value && differ && isBest(value) && "best",
        arrived.includes(name) && choice.isEmpty && "last",
        taken.includes(name) && !open && !held[name] && "taken",
        isChosen && "chosen",
        mills.some(line => line.includes(name)) && "in-mill",
        isHinted && "hinted",
      ].filter(Boolean);
      const doing = !open ? null : removes ? t("do.remove") : held[name] ? t("do.move") : choice.from ? t("do.go") : t("do.place");
      const words = [pointWords(name, held[name]), isChosen && t("is.chosen"), isHinted && t("is.hint"), doing, value && valueWords(value)];
      const strong = value ? 1 + Math.round(3 * hardness(best.get(name))) : 4;
      points[name] = { side: held[name], classes, open, strong, text: value?.dtw ?? "", label: words.filter(Boolean).join(", ") };
    }
    return points;
  }

  /* The arrows of the position shown: threats, the reply to an error, the best turn or that of the hint. */
  get arrows() {
    const { game, choice, hint } = this;
    const { node } = game;
    if (!choice.isEmpty) return [];
    const given = [...this.ofLines, ...this.ofTask];
    if (given.length > 0) return given;
    const found = [];
    if (settings.threats && node.game && !game.ending) {
      for (const turn of threats(node.position, this.board.lines, this.ruleset.now.flying)) found.push({ turn, kind: "threat" });
    }
    const isFault = this.values() && faultOf(node) !== null;
    const best = this.values() && !game.ending ? this.bestOf(node) ?? (isFault ? node.answer?.turns[0] : null) : null;
    if (hint.told) found.push({ turn: hint.told, kind: "best" });
    else if (best) found.push({ turn: best, kind: isFault ? "refutation" : "best" });
    return found;
  }
}
