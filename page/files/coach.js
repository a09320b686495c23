/* The coach: reviews the game shown, and asks for a better turn at each error, with the board as it was before it. */

import { $, say, show } from "./dom.js";
import { weight } from "./game.js";
import { faultOf, gradeOf, isMarkedError, mark, tallyOf } from "./grade.js";
import { numberOf } from "./notation.js";
import { reasonWords, reasonsOf } from "./reasons.js";
import { numberWords, t } from "./strings.js";

const SHOWN_TURNS = 8; // turns of the best line

export class Coach {
  /* `say` shows a sentence beside the board, `lines` shows lines, `look` brings the board into view. */
  constructor({ game, say: speak, lines, look }) {
    Object.assign(this, { game, say: speak, lines, look, question: null, queue: [], missed: [], root: null, own: null });
    $("coach-show").addEventListener("click", () => {
      const [best] = this.question.node.parent.answer?.turns ?? [];
      if (best) this.reveal(t("coach.shown", { best: best.text }), false);
    });
    $("coach-next").addEventListener("click", () => this.next());
    $("coach-stop").addEventListener("click", () => this.stop());
    game.addEventListener("turn", ({ detail: { turn, before } }) => this.judge(turn, before));
    game.addEventListener("change", () => this.watch());
  }

  /* Whether the board shows a position in which a better turn is asked for; then values stay hidden. */
  get asking() {
    return this.question !== null && !this.question.done && this.game.node === this.question.node.parent;
  }

  /* Grades the line shown, marks its errors, and asks about the first of them. */
  async review() {
    const { game } = this;
    this.own = game.hand ?? this.own;
    this.stop();
    say($("review-words"), t("review.busy"));
    try {
      const line = game.node.wholeLine;
      await game.review();
      if (game.root !== line[0]) return;
      line.forEach(mark);
      say($("review-words"), this.report(line));
      this.start();
      if (this.queue.length === 0) game.changed();
    } catch (error) {
      say($("review-words"), "");
      game.trouble(error);
    }
  }

  /* The errors of the line: those of the side that a person played, or of both. */
  get mistakes() {
    const isOwn = ({ parent }) => parent && (this.own === null || parent.side === this.own);
    // Without values, no turn can be called better than the one that was marked.
    const isError = node => faultOf(node) || isMarkedError(node) && node.parent.answer !== null;
    return this.game.node.wholeLine.filter(node => isOwn(node) && isError(node));
  }

  /* Asks about the errors of the line shown, one after the other. */
  start() {
    Object.assign(this, { queue: this.mistakes, missed: [], found: 0 });
    if (this.queue.length > 0) this.next();
  }

  report(line) {
    const checked = line.filter(gradeOf).length;
    const count = line.length - 1;
    const faults = line.filter(faultOf).length;
    const sides = ["white", "black"].map(side => ({ side: t(side), ...tallyOf(line, side) })).filter(({ graded }) => graded > 0);
    return [
      faults > 0 ? t("review.done", { count: faults }) : checked > 0 && t("review.none"),
      ...sides.map(({ accuracy, ...tally }) => accuracy === null
        ? t("review.free", tally) : t("review.side", { ...tally, accuracy: numberWords(accuracy, { style: "percent" }) })),
      checked === 0 ? t("review.unknown") : checked < count && t("review.part", { checked, count }),
    ].filter(Boolean).join(" ");
  }

  /* Asks about the next error, after the last one about those that were not found. */
  next() {
    if (this.queue.length === 0) {
      Object.assign(this, { queue: this.missed, missed: [], found: 0 });
      if (this.queue.length === 0) { this.stop(); return; }
    }
    this.ask(this.queue.shift()).catch(error => { this.stop(); this.game.trouble(error); });
  }

  async ask(node) {
    const { game } = this;
    this.lines.clear();
    this.question = { node, done: false, failed: false };
    // A game against the machine goes on as an analysis.
    if (game.mode === "analyse" && game.machines === 0) game.goTo(node.parent);
    else game.begin({ rules: game.rules, root: game.root, node: node.parent });
    this.look();
    // After a reload the values of a marked turn are not known yet.
    await game.learn(node.parent);
    await game.learnValue(node.parent);
    if (this.question?.node !== node) return;
    if (node.parent.answer !== null) { this.tell(); return; }
    this.next();
    if (!this.question) say($("review-words"), t("review.unknown"));
  }

  /* Says the question again, in another language. */
  retell() {
    if (this.question?.done) this.showButtons();
    else if (this.question) this.tell();
  }

  tell() {
    const { node } = this.question;
    const grade = gradeOf(node);
    const key = grade?.lost > 0 ? `coach.gave.${grade.from.wdl}.${grade.to.wdl}` : "coach.gave";
    this.say(`${t(key, { number: numberOf(node), side: t(node.parent.side), turn: node.turn })} ${t("coach.find")}`);
    this.showButtons();
  }

  judge(turn, before) {
    const { question, game } = this;
    if (!question || question.done || before !== question.node.parent || !before.answer) return;
    const [best] = before.answer.turns;
    if (turn.value?.wdl === best.value.wdl) {
      const isBest = weight(turn.value) === weight(best.value);
      this.reveal(t(isBest ? "coach.best" : "coach.good", { turn: turn.text, best: best.text }), !question.failed);
      return;
    }
    question.failed = true;
    const tried = game.node;
    game.goTo(before);
    if (tried !== question.node && tried.children.length === 0) tried.remove();
    this.say(`${t(turn.text === question.node.turn ? "coach.same" : "coach.wrong", { turn: turn.text })} ${t("coach.find")}`);
  }

  /* Shows the best line, the refutation of the error, and why it is one. */
  async reveal(words, found) {
    const { game, question } = this;
    const { node } = question;
    question.done = true;
    if (found) this.found += 1;
    else this.missed.push(node);
    this.say(words);
    this.showButtons();
    try {
      const [line, reasons] = await Promise.all([
        game.bestLine(node.parent, SHOWN_TURNS), reasonsOf(game, node),
      ]);
      if (this.question !== question) return;
      this.lines.show([
        { kind: "best", title: () => t("line.best"), start: node.parent, turns: line },
        { kind: "refutation", title: () => t("line.refutation"), start: node, turns: reasons.refutation },
      ]);
      const end = this.queue.length === 0 ? t("coach.end", { found: this.found, count: this.found + this.missed.length }) : "";
      this.say([words, reasonWords(reasons, node), end].filter(Boolean).join(" "));
    } catch (error) {
      if (!error.isUnknown) game.trouble(error);
    }
  }

  showButtons() {
    const { question } = this;
    show($("coach-bar"), question !== null, $("new"));
    if (!question) return;
    const isEnd = this.queue.length === 0 && this.missed.length === 0 && question.done;
    $("coach-next").hidden = isEnd || !question.done && this.queue.length === 0;
    show($("coach-show"), !question.done, $("coach-next").hidden ? $("coach-stop") : $("coach-next"));
    say($("coach-next"), t(this.queue.length > 0 ? "game.mistake" : "coach.again"));
  }

  /* Another game ends the review. */
  watch() {
    if (this.root === this.game.root) return;
    Object.assign(this, { root: this.game.root, own: null });
    this.stop();
  }

  stop() {
    if (!this.question) return;
    this.question = null;
    this.lines.clear();
    this.showButtons();
    this.say("");
  }
}
