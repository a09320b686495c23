/* The turn that is being made on the board: the points chosen so far, those to choose next, and why another has no effect. */

import { stonesOf } from "./board.js";
import { t } from "./strings.js";

export class Choice {
  constructor(game) {
    this.game = game;
    this.clear();
  }

  /* Begins anew, with the stone of a point or without one. */
  clear(from = null) {
    Object.assign(this, { from, to: null, removed: [] });
  }

  get isEmpty() { return !this.from && !this.to; }

  /* The turns that begin with the chosen points. */
  get candidates() {
    const { from, to, removed } = this;
    return this.game.turns.filter(turn =>
      (this.isEmpty || (turn.from ?? null) === from) && (!to || turn.to === to)
      && removed.every(name => turn.removed.includes(name)));
  }

  /* The next points of a candidate: one, or those of the stones still to remove. */
  next(turn) {
    if (turn.from && !this.from) return [turn.from];
    if (turn.to && !this.to) return [turn.to];
    return turn.removed.filter(name => !this.removed.includes(name));
  }

  /* Whether the next point is that of a stone to remove. */
  get removes() {
    const [turn] = this.candidates;
    return turn !== undefined && (!turn.to || this.to) && turn.removed.length > this.removed.length;
  }

  /* Whether the stone of a point can move. */
  lifts(name) {
    return this.game.handMoves && !this.removes && this.game.turns.some(turn => turn.from === name);
  }

  /* The stones by point, with the step of an unfinished turn already made. */
  get stones() {
    const found = stonesOf(this.game.node.position);
    if (this.to) {
      found[this.to] = this.game.side;
      if (this.from) delete found[this.from];
    }
    for (const name of this.removed) delete found[name];
    return found;
  }

  /* Takes a point: returns the turn if it is complete now, and the sentence that says why the point has no effect. */
  take(name) {
    const { game } = this;
    if (!game.handMoves) return { why: this.whyNot(name) };
    const [turn] = this.candidates.filter(turn => this.next(turn).includes(name));
    if (!turn) {
      const isStart = !this.to && game.turns.some(turn => turn.from === name);
      const again = name === this.from || name === this.to;
      if (!again && !isStart) return { why: this.whyNot(name) };
      this.clear(again ? null : name);
      return {};
    }
    if (turn.from && !this.from) this.from = name;
    else if (turn.to && !this.to) this.to = name;
    else this.removed.push(name);
    return this.next(turn).length === 0 ? { turn } : {};
  }

  whyNot(name) {
    const { game } = this;
    if (game.ending) return t("why.over");
    if (game.isTask && game.paused) return t(`why.${game.mode}`);
    if (game.machineMoves) return t("why.machine");
    const held = this.stones[name];
    const { side } = game;
    if (this.removes) {
      if (!held) return t("why.none", { point: name });
      return held === side ? t("why.own", { side: t(side) }) : t("why.mill", { point: name });
    }
    const places = game.turns.some(turn => turn.to && !turn.from);
    if (places && !game.turns.some(turn => turn.from)) {
      return held === side ? t("why.placing") : t("why.taken", { point: name });
    }
    if (this.from) {
      if (held) return held === side ? t("why.stuck", { point: name }) : t("why.taken", { point: name });
      const targets = [...new Set(this.candidates.map(turn => turn.to))].sort();
      return t("why.far", { from: this.from, targets: targets.join(", ") });
    }
    if (!held) return t("why.first");
    return held === side ? t("why.stuck", { point: name }) : t("why.theirs", { point: name, side: t(side) });
  }
}
