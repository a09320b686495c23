/* Lessons: positions with a task each. lessons.json has them as data. The goal of a step is a list of turns that fulfil it,
   "mill" for every turn that closes one, or a number of turns for which a drawn position is to be held. A step without a
   position goes on in the game of the step before it, whose `replies` has the turn of the other side: the first legal one. */

import { $, replace, say, tag } from "./dom.js";
import { fresh } from "./game.js";
import { faultWords } from "./grade.js";
import { readJson } from "./json.js";
import { learnt, saveLearnt } from "./store.js";
import { t } from "./strings.js";
import { other, sideOf } from "./tree.js";

const NAMES = ["mill", "stop", "running", "blocking", "flying", "hold"];

export class Teacher {
  /* `begin` starts a game, `say` shows a sentence beside the board, `arrows` shows arrows on it. */
  constructor({ game, begin, say: speak, arrows }) {
    Object.assign(this, { game, begin, say: speak, arrows, lessons: null, task: null });
    $("lesson-next").addEventListener("click", () => this.next());
    $("lesson-again").addEventListener("click", () => this.open());
    $("lesson-show").addEventListener("click", () => this.show());
    game.addEventListener("turn", ({ detail: { turn, before } }) => this.judge(turn, before));
    game.addEventListener("change", () => this.watch());
  }

  get active() {
    return this.game.mode === "lesson" && this.task !== null;
  }

  get lesson() {
    return this.lessons[this.task.lesson];
  }

  get step() {
    return this.lesson.steps[this.task.step];
  }

  /* The key of the sentences of the step. */
  get key() {
    return `lesson.${this.lesson.name}.${this.task.step + 1}`;
  }

  async load() {
    if (this.lessons) return;
    this.lessons = (await readJson("lessons.json")).lessons;
  }

  async start(lesson) {
    const { root } = this.game;
    say($("lesson-problem"), "");
    try {
      await this.load();
    } catch {
      say($("lesson-problem"), t("trouble"));
      return;
    }
    // Another game was begun meanwhile.
    if (this.game.root !== root) return;
    this.task = { lesson, step: 0 };
    this.open();
  }

  /* Begins with the last position at or before the step. */
  open() {
    const { steps } = this.lesson;
    const step = steps.findLastIndex(({ position }, place) => position && place <= this.task.step);
    Object.assign(this.task, { step, done: false });
    const side = sideOf(steps[step].position);
    const players = { [side]: "hand", [other(side)]: "machine" };
    const replies = node => this.reply(node);
    this.begin({ rules: "standard", root: fresh(steps[step].position), mode: "lesson", players, replies });
    this.tell();
  }

  /* The turn of the other side; null lets the perfect player choose. */
  reply(node) {
    const { replies } = this.lesson.steps[this.task.step - 1] ?? {};
    const turn = replies?.find(text => node.game.turns.some(legal => legal.text === text));
    return turn ? { turn } : null;
  }

  tell() {
    const { steps } = this.lesson;
    const place = steps.length > 1 ? t("lesson.place", { step: this.task.step + 1, steps: steps.length }) : "";
    this.say(`${t(this.key)} ${place}`.trim());
    this.showButtons();
  }

  /* Compares a turn of the learner with the goal; after the reply comes the next task. */
  judge(turn, before) {
    if (!this.active || this.task.done) return;
    const { goal } = this.step;
    const isOwn = this.game.players[before.side] === "hand";
    if (!isOwn) {
      if (typeof goal !== "number") this.tell();
    } else if (goal === "mill" ? turn.removed.length > 0 : Array.isArray(goal) && goal.includes(turn.text)) {
      this.pass();
    } else if (typeof goal !== "number") {
      this.finish(t("lesson.wrong", { turn: turn.text }));
    }
  }

  /* Holding fails with the first turn that gives the draw away. */
  watch() {
    this.showButtons();
    const { game, task } = this;
    if (!this.active || task.done || typeof this.step.goal !== "number") return;
    const own = game.node.path.filter(({ parent }) => parent && game.players[parent.side] === "hand");
    const fault = faultWords("train.failed", own);
    if (fault) this.finish(fault);
    else if (own.length >= this.step.goal && game.node.answer?.value) this.pass();
  }

  /* The step is fulfilled. */
  pass() {
    const { task, lesson } = this;
    const next = lesson.steps[task.step + 1];
    const words = t(`${this.key}.done`);
    if (next && !next.position) {
      task.step += 1;
      this.say(words);
      return;
    }
    task.good = true;
    if (!next) {
      if (!learnt.includes(lesson.name)) learnt.push(lesson.name);
      saveLearnt();
      this.showList();
    }
    this.finish(words, true);
  }

  finish(words, good = false) {
    Object.assign(this.task, { done: true, good });
    this.game.paused = true;
    this.say(words);
    this.showButtons();
  }

  /* The next step, or the next lesson. */
  next() {
    const { task, lesson } = this;
    if (task.step + 1 < lesson.steps.length) task.step += 1;
    else Object.assign(task, { lesson: (task.lesson + 1) % NAMES.length, step: 0 });
    this.open();
  }

  /* Shows a turn that fulfils the task. */
  show() {
    const { turns } = this.game;
    const { goal } = this.step;
    const turn = turns.find(({ text, removed }) => goal === "mill" ? removed.length > 0 : typeof goal === "number" || goal.includes(text));
    if (!turn) return;
    this.arrows([{ turn, kind: "hint" }]);
    this.say(t("hint.turn", { turn: turn.text }));
  }

  showButtons() {
    const { active, task } = this;
    $("lesson-bar").hidden = !active;
    if (!active) return;
    $("lesson-next").hidden = !task.good || !task.done;
    $("lesson-show").hidden = task.done;
    say($("lesson-next"), t(task.step + 1 < this.lesson.steps.length ? "lesson.on" : "lesson.next"));
  }

  /* The list of the lessons, with those that were learnt. */
  showList() {
    replace($("lessons"), ...NAMES.map((name, place) => {
      const isLearnt = learnt.includes(name);
      return tag("li", {}, tag("button", { type: "button", "data-key": name, class: isLearnt && "learnt", click: () => this.start(place) },
        `${place + 1}. ${t(`lesson.${name}`)}`, isLearnt && tag("span", {}, ` ${t("lesson.learnt")}`)));
    }));
  }

  get state() {
    return this.task;
  }

  async resume(task) {
    await this.load();
    this.task = task;
  }
}
