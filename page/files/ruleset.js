/* The rules of the game: the sets that the backend knows, the one that is played, and its rules in brief. */

import { POINTS } from "./board.js";
import { t } from "./strings.js";

const EMPTY = "********/********/********";
const nameOf = rules => rules.name ?? "own";
const withoutCounts = position => position.split(" ").slice(0, 8).join(" ");

export const emptyBoard = ({ stones }) => `${EMPTY} w p p 0 ${stones} 0 ${stones} 0 0`;

export class Ruleset {
  constructor(game) {
    Object.assign(this, { game, sets: null });
  }

  get own() { return nameOf(this.sets.own); }
  get names() { return [...new Set([this.own, ...this.sets.named.map(nameOf)])]; }

  known(name) { return [...this.sets.named, this.sets.own].find(rules => nameOf(rules) === name); }

  /* The name of the rules of the game, and the rules. */
  get name() { return this.game.rules ?? this.own; }
  get now() { return this.known(this.name) ?? this.sets.own; }

  /* The name in a question: the backend uses its own rules for a question without rules. */
  asked(name) { return name === this.own ? null : name; }

  start(name = this.name) { return emptyBoard(this.known(name) ?? this.sets.own); }

  /* Whether a game begins with the empty board. */
  isFromStart(root = this.game.root, name = this.name) {
    return withoutCounts(root.position) === withoutCounts(this.start(name));
  }

  /* How many quiet turns end the game; 0 if none do. */
  get quietLimit() { return this.now.quiet_turns || this.sets.draws.quiet_turns; }

  /* The same in a position: a side with three stones, those in hand counted, may have a limit of its own. */
  quietLimitAt(position) {
    const { quiet_turns_flying: few } = this.now;
    const [white, whiteInHand, black, blackInHand] = position.split(" ").slice(4).map(Number);
    const isFew = few > 0 && Math.min(white + whiteInHand, black + blackInHand) <= 3;
    return isFew ? few : this.quietLimit;
  }

  /* Whether the databases of the pairs hold the positions with stones in hand, too. */
  get pairsHaveHands() { return this.now.moves_while_placing || this.now.removal_while_placing === "hand"; }

  /* The rules in brief, a sentence each. */
  get sentences() {
    const {
      stones, flying, blocked, full_board: full, removal_from_mills: any, removal_per_mill: each,
      removal_while_placing: removal, moves_while_placing: early, first_to_move: first, quiet_turns: limit, quiet_turns_flying: few,
    } = this.now;
    const { repetitions } = this.sets.draws;
    const drawn = [
      full === "draws" && 2 * stones === POINTS.length && t("rule.draw.full"),
      repetitions > 0 && t("rule.draw.repetitions", { count: repetitions }),
      this.quietLimit > 0 && t("rule.draw.quiet", { count: this.quietLimit }),
      few > 0 && t("rule.draw.few", { count: few }),
    ].filter(Boolean).join(t("or"));
    return [
      t("rule.1", { stones }), t("rule.2"), t(any ? "rule.remove.any" : "rule.remove"), each && t("rule.remove.each"),
      removal === "hand" && t("rule.remove.hand"), t(early ? "rule.3.early" : "rule.3"), first === "black" && t("rule.3.second"), flying > 0 && t("rule.fly", { flying }),
      t(blocked === "passes" ? "rule.4.passes" : "rule.4"),
      full === "removes" && 2 * stones === POINTS.length && t("rule.full.removes"),
      drawn && t("rule.draw", { draws: drawn }),
      limit > 0 && t("rule.distance"),
    ].filter(Boolean);
  }
}
