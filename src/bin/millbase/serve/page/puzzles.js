/* Puzzles: positions with one right first turn. The set is part of the program and holds the
   solutions, so no database is needed. */

import { $, replace, say, tag } from "./dom.js";
import { fresh } from "./game.js";
import { puzzleTally, savePuzzleTally } from "./store.js";
import { t } from "./strings.js";

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
    game.addEventListener("turn", ({ detail }) => this.judge(detail.turn.text));
    game.addEventListener("change", () => { $("puzzle-bar").hidden = !this.active; });
  }

  get active() {
    return this.game.mode === "puzzle" && this.task !== null;
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

  /* Begins with the easiest puzzle that is not solved yet; when all are, with the first again. */
  async next() {
    try {
      await this.load();
    } catch {
      say($("puzzle-problem"), t("trouble"));
      return;
    }
    say($("puzzle-problem"), "");
    const open = this.chosen.filter(puzzle => !puzzleTally.solved.includes(nameOf(puzzle)));
    const others = open.filter(puzzle => puzzle !== this.task?.puzzle);
    const puzzle = others[0] ?? open[0] ?? this.chosen[0];
    this.task = { puzzle, failed: false };
    this.again();
  }

  again() {
    const { puzzle } = this.task;
    const { position, goal, solution } = puzzle;
    Object.assign(this.task, { done: false, hints: 0 });
    const side = position.split(" ")[1] === "w" ? "white" : "black";
    const players = { white: "machine", black: "machine", [side]: "hand" };
    this.begin({
      rules: "standard", root: fresh(position), mode: "puzzle", players,
      replies: node => ({ turn: solution[node.moves.length][0] }),
    });
    const words = goal === "win" ? t("puzzle.win", { side: t(side), turns: (solution.length + 1) / 2 }) : t("puzzle.hold", { side: t(side) });
    this.say(`${words} ${t("puzzle.level", { level: t(`puzzle.${puzzle.level}`) })}`);
    this.showTally();
  }

  /* Compares the turn that is being made with the solution. */
  judge(turn) {
    const { game, task } = this;
    if (!this.active || task.done) return;
    const { solution } = task.puzzle;
    const place = game.node.moves.length;
    if (place % 2 === 1) return;
    if (!solution[place].includes(turn)) {
      this.finish(false, t("puzzle.wrong", { turn }));
    } else if (place === solution.length - 1) {
      this.finish(true, t(task.hints > 0 ? "puzzle.helped" : "puzzle.solved"));
    } else {
      this.say(t("puzzle.right"));
    }
  }

  /* The turn to make where this one was chosen: of those that are equally good, that of the solution,
     whose reply is known. */
  instead(turn) {
    const { game, task } = this;
    const place = game.node.moves.length;
    const step = this.active && !task.done ? task.puzzle.solution[place] : undefined;
    const others = step?.length > 1 && place < task.puzzle.solution.length - 1 && step.includes(turn.text);
    return (others && game.turns.find(({ text }) => text === step[0])) || turn;
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
    if (task.done) return;
    const [turn] = task.puzzle.solution[game.node.moves.length];
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
