/* The actions of players besides turns: their clocks, giving up, agreeing to a draw. */

import { Clock } from "./clock.js";
import { PERFECT } from "./game.js";
import { opponentName } from "./opponents.js";
import { t } from "./strings.js";
import { other } from "./tree.js";

const SEARCH_TIME = 400; // ms for the machine to judge an offer that no database judges
const EVEN = -40; // an estimate; a side that stands no worse has at least a draw

export class Match {
  /* `changed` is called when a clock shows another time, `say` with a sentence. */
  constructor({ game, changed, say }) {
    Object.assign(this, { game, say });
    this.clock = new Clock({ changed, fallen: side => this.end("time", other(side)) });
    /* The last node of the game when the clock was last updated. */
    this.last = null;
    game.addEventListener("change", () => this.runClock());
  }

  end(reason, winner) {
    this.say("");
    this.game.end(reason, winner);
  }

  /* Runs the clock of the side that is to move at the end of the game; it waits for the first turn, and while the machine does
     not play because another position is shown. */
  runClock() {
    const { game } = this;
    const last = game.node.wholeLine.at(-1);
    const hasMoved = last.parent !== null && last.parent === this.last;
    this.last = last;
    const isOn = game.mode === "play" && last.ply > 0 && !game.paused && !last.ended && !last.game?.ending;
    const runs = isOn && (game.players[last.side] === "hand" || game.machineMoves);
    this.clock.run(runs ? last.side : null, hasMoved);
  }

  resign() {
    const { game } = this;
    if (confirm(t("resign.sure"))) this.end("resigned", other(game.hand ?? game.side));
  }

  /* A machine agrees to a draw unless stones are in hand or it has the better game; two people agree among themselves. */
  async offerDraw() {
    const { game } = this;
    const { node } = game;
    if (game.machines === 0) {
      if (confirm(t("offer.sure"))) this.end("agreed", null);
      return;
    }
    const agrees = node.game.phase !== "placing" && await this.isWorthADraw(node);
    if (game.node !== node) return;
    if (agrees) this.end("agreed", null);
    else this.say(t("offer.declined", { name: opponentName(game.level) }));
  }

  /* Whether the side that is to move has at least as much as a draw, as far as values or a search know. */
  async isWorthADraw(node) {
    const { backend, rules } = this.game;
    const how = { level: PERFECT, movetime: SEARCH_TIME };
    const { wdl, score } = node.answer?.value ?? await backend.play(rules, node.root.position, node.moves, how);
    return wdl ? wdl !== "loss" : score >= EVEN;
  }
}
