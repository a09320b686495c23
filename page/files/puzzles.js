/* Puzzles: positions with one right first turn. The set is part of the program and holds the
   solutions, so no database is needed. */

import { $, replace, say, tag } from "./dom.js";
import { fresh } from "./game.js";
import { puzzleTally, savePuzzleTally } from "./store.js";
import { t } from "./strings.js";
import { sideOf } from "./tree.js";

/* The levels by the least rating that they hold. */
const LEVELS = { beginner: 0, easy: 1050, medium: 1250, hard: 1500, expert: 1750, master: 2000 };

const levelOf = rating => Object.keys(LEVELS).findLast(level => rating >= LEVELS[level]);

/* The name of a puzzle in the tally: its board. */
const nameOf = ({ position }) => position.split(" ")[0];

export class Puzzles {
  /* `begin` starts a game, `say` shows a sentence beside the board. */
  constructor({ game, begin, say: speak }) {
    Object.assign(this, { game, begin, say: speak, set: null, task: null });
    $("puzzle-start").addEventListener("click", () => this.next());
    $("puzzle-next").addEventListener("click", () => this.next());
    $("puzzle-again").addEventListener("click", () => this.again());
    $("puzzle-hint").addEventListener("click", () => this.hint());
    $("puzzle-level").addEventListener("change", () => this.showTally());
    game.addEventListener("turn", ({ detail: { turn, before } }) => this.judge(turn.text, before.ply));
    game.addEventListener("change", () => {
      $("puzzle-bar").hidden = !this.active;
      $("puzzle-hint").hidden = !this.solving;
    });
  }

  get active() {
    return this.game.mode === "puzzle" && this.task !== null;
  }

  /* Whether the solution is still to be found. */
  get solving() {
    return this.active && !this.task.done;
  }

  async load() {
    if (this.set) return;
    const answer = await fetch(new URL("puzzles.json", import.meta.url));
    const { puzzles } = await answer.json();
    this.set = puzzles.map(([position, goal, rating, solution]) =>
      ({ position, goal, rating, level: levelOf(rating), solution: solution.split(" ").map(step => step.split("|")) }));
  }

  /* The puzzles of the chosen level. */
  get chosen() {
    const level = $("puzzle-level").value;
    return this.set.filter(puzzle => level === "all" || puzzle.level === level);
  }

  /* Begins with the next puzzle that is not solved yet, the easiest first; after the last one, and when all are
     solved, with the first again. */
  async next() {
    try {
      await this.load();
    } catch {
      say($("puzzle-problem"), t("trouble"));
      return;
    }
    say($("puzzle-problem"), "");
    const after = this.chosen.indexOf(this.task?.puzzle) + 1;
    const inOrder = [...this.chosen.slice(after), ...this.chosen.slice(0, after)];
    const isOpen = puzzle => !puzzleTally.solved.includes(nameOf(puzzle));
    this.task = { puzzle: inOrder.find(isOpen) ?? inOrder[0], failed: false };
    this.again();
  }

  again() {
    const { position } = this.task.puzzle;
    Object.assign(this.task, { done: false, hints: 0 });
    const side = sideOf(position);
    const players = { white: "machine", black: "machine", [side]: "hand" };
    this.begin({ rules: "standard", root: fresh(position), mode: "puzzle", players, replies: node => this.reply(node) });
    this.tell();
    this.showTally();
  }

  /* The solution's turn for the machine; none off the solution and after it. */
  reply(node) {
    const { solution } = this.task.puzzle;
    const follows = node.ply < solution.length && node.moves.every((turn, place) => solution[place].includes(turn));
    return follows ? { turn: solution[node.ply][0] } : null;
  }

  /* Says the task. */
  tell() {
    const { position, goal, level, solution } = this.task.puzzle;
    const side = t(sideOf(position));
    const words = goal === "win" ? t("puzzle.win", { side, turns: (solution.length + 1) / 2 }) : t("puzzle.hold", { side });
    this.say(`${words} ${t("puzzle.level", { level: t(`puzzle.${level}`) })}`);
  }

  /* The task as plain data. */
  get state() {
    const { puzzle, ...rest } = this.task;
    return { ...rest, position: puzzle.position };
  }

  /* Takes a task of such data, whose game begins afterwards. */
  async resume({ position, ...rest }) {
    await this.load();
    const puzzle = this.set.find(other => other.position === position);
    this.task = puzzle ? { ...rest, puzzle } : null;
  }

  /* Compares a turn with the solution, by the number of turns before it. */
  judge(turn, place) {
    const { task } = this;
    if (!this.solving || place % 2 === 1) return;
    const { solution } = task.puzzle;
    if (!solution[place].includes(turn)) {
      this.finish(false, t("puzzle.wrong", { turn }));
    } else if (place === solution.length - 1) {
      this.finish(true, t(task.hints > 0 ? "puzzle.helped" : "puzzle.solved"));
    } else {
      this.say(this.replaced ? t("puzzle.same", { turn: this.replaced, other: turn }) : t("puzzle.right"));
    }
  }

  /* The turn to make where this one was chosen: of those that are equally good, that of the solution,
     whose reply is known. */
  instead(turn) {
    const { game, task } = this;
    const { ply } = game.node;
    const step = this.solving ? task.puzzle.solution[ply] : undefined;
    const others = step?.length > 1 && ply < task.puzzle.solution.length - 1 && step.includes(turn.text);
    const made = (others && game.turns.find(({ text }) => text === step[0])) || turn;
    this.replaced = made === turn ? null : turn.text;
    return made;
  }

  finish(good, words) {
    const { game, task } = this;
    const name = nameOf(task.puzzle);
    task.done = true;
    game.paused = true;
    if (!good && !task.failed) {
      task.failed = true;
      puzzleTally.failed += 1;
    }
    if (good && task.hints === 0 && !puzzleTally.solved.includes(name)) puzzleTally.solved.push(name);
    savePuzzleTally();
    this.showTally();
    this.say(words);
  }

  /* First the stone or the point, then the whole turn. */
  hint() {
    const { game, task } = this;
    if (game.node.ply % 2 === 1) return;
    const { turn } = this.reply(game.node) ?? {};
    if (!turn) return;
    task.hints += 1;
    const [point] = turn.split(/[-x]/);
    const first = turn.includes("-") ? t("puzzle.hint.stone", { point }) : t("puzzle.hint.point", { point });
    this.say(task.hints === 1 ? first : t("puzzle.hint.turn", { turn }));
  }

  showTally() {
    const levels = ["all", ...Object.keys(LEVELS)];
    const now = $("puzzle-level").value || "all";
    replace($("puzzle-level"), ...levels.map(level =>
      tag("option", { value: level, selected: level === now }, t(`puzzle.${level}`))));
    say($("puzzle-tally"), t("puzzle.tally", { solved: puzzleTally.solved.length, failed: puzzleTally.failed }));
  }
}
