/* A hint in three steps: the stone, the target, and the reason. */

import { weight } from "./game.js";
import { colon, t, valueWords } from "./strings.js";

const SHOWN_TURNS = 6; // turns of the line that gives the reason

export class Hint {
  constructor(game) {
    this.game = game;
    this.forget();
  }

  forget() {
    this.node = null;
    this.step = 0;
    /* The promise of what `find` finds. */
    this.found = null;
    this.turn = null;
    this.line = null;
  }

  /* The turn of the hint, once the hint has named it. */
  get told() {
    return this.node === this.game.node && this.step > 1 ? this.turn : null;
  }

  /* The points that the steps so far have shown. */
  get points() {
    if (this.node !== this.game.node || this.step === 0) return [];
    const { from, to, removed } = this.turn;
    const first = from ?? (this.step > 1 ? to : removed[0]);
    const points = this.step === 1 ? [first] : [from, to, ...removed];
    return points.filter(Boolean);
  }

  /* The words of the next step; `null` if there is nothing to hint at. */
  async next() {
    const { game } = this;
    const { node } = game;
    if (this.node !== node) {
      this.forget();
      this.node = node;
      this.found = this.find(node);
    }
    // A press before the turn is found waits for it, too.
    const forget = () => { if (this.node === node) this.forget(); };
    const found = await this.found.catch(error => { forget(); throw error; });
    if (!found) forget();
    if (!found || game.node !== node || this.node !== node) return null;
    Object.assign(this, found);
    this.step = Math.min(3, this.step + 1);
    if (this.step === 1) return this.where();
    if (this.step === 2) return t("hint.turn", { turn: this.turn.text });
    return this.why();
  }

  /* The turn and, where a search found it, its line; `null` if there is none. Without depths, the first of the winning turns may
     lead nowhere. */
  async find(node) {
    const { value, turns } = node.answer ?? {};
    if (value && value.wdl !== "draw" && value.dtw != null) return turns.length > 0 ? { turn: turns[0] } : null;
    const line = await this.game.perfectLine(node);
    const turn = this.game.turns.find(({ text }) => text === line[0]?.text);
    return turn ? { turn, line } : null;
  }

  /* If no stone moves, the first step names only the part of the board. */
  where() {
    const { from, to, removed, text } = this.turn;
    if (from) return t("hint.stone", { point: from });
    if (!to && removed.length === 0) return t("hint.turn", { turn: text });
    if (!to) return t("hint.remove", { point: removed[0] });
    const ring = Math.max(Math.abs("abcdefg".indexOf(to[0]) - 3), Math.abs(Number(to[1]) - 4));
    return t(`hint.ring.${ring}`);
  }

  /* The best line, and what happens otherwise: the result of the most tempting worse turn. */
  async why() {
    const { game, node } = this;
    // The values may have come after a search chose the turn.
    const turn = node.answer?.turns.find(({ text }) => text === this.turn.text);
    const expected = this.line?.slice(0, SHOWN_TURNS).map(({ text }) => text).join(" ");
    if (!turn?.value) return t("hint.expected", { line: expected });
    const lineWith = async ({ text, position, value }) => {
      const line = value.by_repetition ? [] : await game.bestLine({ position }, SHOWN_TURNS);
      return [text, ...line.map(turn => turn.text)].join(" ");
    };
    const line = expected ?? await lineWith(turn);
    const words = [t("sentence", { words: colon(line, valueWords(turn.value)) })];
    const worse = node.answer.turns.find(other => weight(other.value) < weight(turn.value));
    if (worse) {
      const line = await lineWith(worse);
      words.push(t("hint.otherwise", { value: valueWords(worse.value), line }));
    } else {
      words.push(t("hint.same"));
    }
    return words.join(" ");
  }
}
