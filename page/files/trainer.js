/* Practice: random positions to win or to hold against the perfect player, with a tally. */

import { $, replace, say, tag } from "./dom.js";
import { PERFECT, fresh } from "./game.js";
import { faultWords } from "./grade.js";
import { saveTally, tally } from "./store.js";
import { t, troubleWords, turnsWords } from "./strings.js";

const HELD = 20; // own turns after which a drawn position counts as held

export class Trainer {
  /* `begin` starts a game, `say` shows a sentence beside the board. */
  constructor({ game, begin, say: speak }) {
    Object.assign(this, { game, begin, say: speak, task: null });
    $("train-start").addEventListener("click", () => this.next());
    $("train-next").addEventListener("click", () => this.next());
    $("train-again").addEventListener("click", () => this.again());
    game.addEventListener("change", () => this.watch());
  }

  /* Offers the pairs that are present. */
  async offer() {
    const { rules } = this.game;
    const { databases } = await this.game.backend.databases(rules);
    if (rules !== this.game.rules) return;
    const pairs = databases.filter(({ present }) => present).map(({ pair }) => pair);
    const chosen = $("train-pair").value;
    replace($("train-pair"), ...pairs.map(pair => tag("option", { value: pair, selected: pair === chosen }, pair)));
    $("train-start").disabled = pairs.length === 0;
    $("train-none").hidden = pairs.length > 0;
  }

  async next() {
    const { game } = this;
    const { root, rules } = game;
    say($("train-problem"), "");
    const goal = $("train-goal").value;
    const seed = 1 + Math.floor(Math.random() * 2 ** 31);
    try {
      const found = await game.backend.random(rules, $("train-pair").value, goal === "win" ? "win" : "draw", seed);
      // Another game may have begun meanwhile.
      if (game.root !== root || game.rules !== rules) return;
      this.task = { goal, position: found.position, dtw: found.dtw, done: false };
      this.again();
    } catch (error) {
      say($("train-problem"), troubleWords(error));
    }
  }

  again() {
    const { task } = this;
    task.done = false;
    this.begin({
      rules: this.game.rules, root: fresh(task.position), mode: "train", level: PERFECT,
      players: { white: "hand", black: "machine" },
    });
    this.tell();
    this.watch();
  }

  get active() {
    return this.game.mode === "train" && this.task !== null;
  }

  get state() {
    return this.task;
  }

  async resume(task) {
    this.task = task;
  }

  /* Says the task. */
  tell() {
    const { goal, dtw } = this.task;
    const shortest = dtw == null ? "" : t("train.shortest", { turns: turnsWords(dtw) });
    this.say(goal === "win" ? `${t("train.win")} ${shortest}`.trim() : t("train.hold", { turns: turnsWords(HELD) }));
  }

  /* Checks the turns played: the task is solved, failed, or goes on. */
  watch() {
    const { game, task, active } = this;
    $("train-bar").hidden = !active;
    if (!active || task.done || game.root.position.split(" ")[0] !== task.position.split(" ")[0]) return;
    const own = game.node.path.filter(node => node.parent?.side === "white");
    const fault = faultWords("train.failed", own);
    if (fault) {
      this.finish(false, fault);
    } else if (game.ending) {
      const { winner } = game.ending;
      const good = task.goal === "win" ? winner === "white" : winner !== "black";
      this.finish(good, good ? t("train.solved") : t("train.lost"));
    } else if (task.goal === "hold" && own.length >= HELD && game.node.answer?.value) {
      this.finish(true, t("train.held", { turns: turnsWords(HELD) }));
    }
  }

  finish(good, words) {
    this.task.done = true;
    tally[good ? "solved" : "failed"] += 1;
    tally.streak = good ? tally.streak + 1 : 0;
    saveTally();
    this.showTally();
    this.say(words);
  }

  showTally() {
    say($("train-tally"), t("train.tally", tally));
  }
}
