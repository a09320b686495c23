/* Puzzles: positions with one right first turn. The set is part of the program and holds the solutions, so no database is
   needed; the refutation of a wrong turn comes from the backend. */

import { $, replace, say, show, tag } from "./dom.js";
import { fresh } from "./game.js";
import { readJson } from "./json.js";
import { rate, unrated } from "./rating.js";
import { isError, reasonWords, reasonsOf, turnsOf } from "./reasons.js";
import { puzzleTally, savePuzzleTally } from "./store.js";
import { numberWords, t, turnsWords } from "./strings.js";
import { sideOf } from "./tree.js";
import { wait } from "./wait.js";

/* The levels by the least rating that they hold. */
const LEVELS = { beginner: 0, easy: 1050, medium: 1250, hard: 1500, expert: 1750, master: 2000 };
/* The goal of a puzzle and the phase of the solver; the kinds take turns. */
const KINDS = ["win moving", "draw placing", "win flying", "draw moving", "draw flying"];
const KIND_THEMES = ["win", "draw", "placing", "moving", "flying"];
/* The themes that are named only when the puzzle is over. */
const MOTIFS = ["zwickmuehle", "sacrifice", "blockade"];
const PUZZLE_DEVIATION = 80;
/* Leads from day to day through the whole set, whose size has no common factor with it. */
const DAILY_STEP = 127;
const DAY = 86_400_000; // ms
const REPLY_PAUSE = 500; // ms before the reply to a wrong turn

const levelOf = rating => Object.keys(LEVELS).findLast(level => rating >= LEVELS[level]);
const dayOf = date => Date.UTC(date.getFullYear(), date.getMonth(), date.getDate()) / DAY;

/* The name of a puzzle in the tally: its board. */
const nameOf = ({ position }) => position.split(" ")[0];

function phaseOf(position) {
  const [, side, phase, , white, , black] = position.split(" ");
  if (phase === "p") return "placing";
  return (side === "w" ? white : black) === "3" ? "flying" : "moving";
}

function readPuzzle([position, goal, rating, solution, themes]) {
  const phase = phaseOf(position);
  return {
    position, goal, rating, level: levelOf(rating), kind: `${goal} ${phase}`,
    themes: [goal, phase, ...themes.split(" ")], solution: solution.split(" ").map(step => step.split("|")),
  };
}

export class Puzzles {
  /* `begin` starts a game, `analyse` opens the game shown for both sides, `say` shows a sentence beside the board, `lines`
     shows lines. */
  constructor({ game, begin, analyse, say: speak, lines }) {
    Object.assign(this, { game, begin, say: speak, lines, set: null, task: null, seen: new Set(), round: 0 });
    $("puzzle-start").addEventListener("click", () => this.next());
    $("puzzle-daily").addEventListener("click", () => this.daily());
    $("puzzle-next").addEventListener("click", () => this.next());
    $("puzzle-again").addEventListener("click", () => this.again());
    $("puzzle-hint").addEventListener("click", () => this.hint());
    $("puzzle-solution").addEventListener("click", () => this.giveUp());
    $("puzzle-analyse").addEventListener("click", () => analyse());
    game.addEventListener("turn", ({ detail: { turn, before } }) => this.judge(turn.text, before.ply));
    game.addEventListener("change", () => this.showButtons());
  }

  get active() {
    return this.game.mode === "puzzle" && this.task !== null;
  }

  /* Whether the solution is still to be found. */
  get solving() {
    return this.active && !this.task.done;
  }

  showButtons() {
    show($("puzzle-bar"), this.active, $("new"));
    for (const id of ["puzzle-hint", "puzzle-solution"]) show($(id), this.solving, $("puzzle-next"));
    for (const id of ["puzzle-again", "puzzle-analyse"]) show($(id), !this.solving, $("puzzle-next"));
  }

  async load() {
    if (this.set) return;
    const { puzzles } = await readJson("puzzles.json");
    this.set = puzzles.map(readPuzzle);
  }

  /* The puzzles of the chosen level and theme. */
  get chosen() {
    const [level, theme] = [$("puzzle-level").value, $("puzzle-theme").value];
    return this.set.filter(puzzle =>
      (level === "all" || puzzle.level === level) && (theme === "all" || puzzle.themes.includes(theme)));
  }

  /* Begins with a puzzle that is not solved yet: that of the next kind whose rating is nearest to the player's. Where all are
     solved, they come again. */
  async next() {
    if (!await this.loaded()) return;
    const { chosen } = this;
    const isOpen = puzzle => !puzzleTally.solved.includes(nameOf(puzzle)) && !this.seen.has(puzzle);
    if (!chosen.some(isOpen)) this.seen.clear();
    const open = chosen.some(isOpen) ? chosen.filter(isOpen) : chosen.filter(puzzle => puzzle !== this.task?.puzzle);
    const kind = KINDS.map((_, place) => KINDS[(this.round + place) % KINDS.length]).find(one => open.some(({ kind }) => kind === one));
    if (!kind) { say($("puzzle-problem"), t("puzzle.none")); return; }
    const distance = puzzle => Math.abs(ratingOf(puzzle).rating - puzzleTally.player.rating);
    const puzzle = open.filter(one => one.kind === kind).reduce((best, one) => distance(one) < distance(best) ? one : best);
    this.round = KINDS.indexOf(kind) + 1;
    this.open(puzzle, null);
  }

  /* Begins with the puzzle of the day, which is the same for everybody. */
  async daily() {
    if (!await this.loaded()) return;
    const day = dayOf(new Date());
    this.open(this.set[day * DAILY_STEP % this.set.length], day);
  }

  /* Whether the puzzles are here, and no other game has begun meanwhile. */
  async loaded() {
    const { root } = this.game;
    say($("puzzle-problem"), "");
    try {
      await this.load();
    } catch {
      say($("puzzle-problem"), t("trouble"));
    }
    return this.set !== null && this.game.root === root;
  }

  open(puzzle, day) {
    this.seen.add(puzzle);
    this.task = { puzzle, day, failed: false };
    this.again();
  }

  again() {
    const { position } = this.task.puzzle;
    Object.assign(this.task, { done: false, hints: 0 });
    const side = sideOf(position);
    const players = { white: "machine", black: "machine", [side]: "hand" };
    this.lines.clear();
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
    const { position, goal, solution } = this.task.puzzle;
    const side = t(sideOf(position));
    const words = goal === "win" ? t("puzzle.win", { side, turns: turnsWords((solution.length + 1) / 2) }) : t("puzzle.hold", { side });
    this.say([this.task.day && t("puzzle.today"), words].filter(Boolean).join(" "));
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
    const { task, game } = this;
    if (!this.solving || place % 2 === 1) return;
    const { solution } = task.puzzle;
    if (!solution[place].includes(turn)) {
      this.finish(false, t("puzzle.wrong", { turn }));
      this.refute(game.node).catch(error => game.trouble(error));
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

  /* Shows why the turn of a node is wrong, the solution, and the reply on the board. */
  async refute(node) {
    const { game, task } = this;
    const [solution, reasons] = await Promise.all([this.solutionAt(node.parent), reasonsOf(game, node), wait(REPLY_PAUSE)]);
    if (game.node !== node || this.task !== task) return;
    const { before, after, refutation } = reasons;
    const isEqual = before?.wdl === after?.wdl && before?.dtw === after?.dtw;
    this.lines.show([
      { kind: "refutation", title: () => t(after && !isError(reasons) ? "line.after" : "line.refutation"), start: node, turns: refutation },
      { kind: "best", title: () => t("line.solution"), start: node.parent, turns: solution },
    ]);
    // Without depths, a slower win looks as good as the solution.
    this.say([isEqual && t("puzzle.wrong", { turn: node.turn }), reasonWords(reasons, node), this.motifs, this.earned].filter(Boolean).join(" "));
    if (refutation.length > 0) game.play(refutation[0]);
  }

  /* Ends the puzzle and shows the solution from here on. */
  async giveUp() {
    const { game } = this;
    const { node } = game;
    this.finish(false, t("puzzle.given"));
    const solution = await this.solutionAt(node);
    if (game.node === node) this.lines.show([{ kind: "best", title: () => t("line.solution"), start: node, turns: solution }]);
  }

  /* The turns of the solution from a node on it. */
  solutionAt(node) {
    return turnsOf(this.game, node, this.task.puzzle.solution.slice(node.ply).map(([turn]) => turn));
  }

  finish(good, words) {
    const { game, task } = this;
    const name = nameOf(task.puzzle);
    const alone = good && task.hints === 0;
    task.done = true;
    game.paused = true;
    this.earned = "";
    if (!task.failed && (alone || !good) && !puzzleTally.solved.includes(name)) this.count(alone);
    if (!good) task.failed = true;
    if (alone && !puzzleTally.solved.includes(name)) puzzleTally.solved.push(name);
    if (alone && task.day && !puzzleTally.days.includes(task.day)) puzzleTally.days.push(task.day);
    savePuzzleTally();
    this.showTally();
    this.say([words, this.motifs, this.earned].filter(Boolean).join(" "));
    this.showButtons();
  }

  /* The motifs of the puzzle as a sentence. */
  get motifs() {
    const names = this.task.puzzle.themes.filter(theme => MOTIFS.includes(theme)).map(theme => t(`theme.${theme}`));
    return names.length > 0 ? t("puzzle.themes", { themes: names.join(", ") }) : "";
  }

  /* Counts the first result of a puzzle in the ratings and in the row. */
  count(good) {
    const { player } = puzzleTally;
    const rival = ratingOf(this.task.puzzle);
    puzzleTally.player = rate(player, [{ rival, score: good ? 1 : 0 }]);
    puzzleTally.puzzles[nameOf(this.task.puzzle)] = rate(rival, [{ rival: player, score: good ? 0 : 1 }]);
    puzzleTally.failed += good ? 0 : 1;
    puzzleTally.streak = good ? puzzleTally.streak + 1 : 0;
    puzzleTally.longest = Math.max(puzzleTally.longest, puzzleTally.streak);
    const now = Math.round(puzzleTally.player.rating);
    const change = numberWords(now - Math.round(player.rating), { signDisplay: "exceptZero" });
    this.earned = t("puzzle.earned", { rating: numberWords(now), change });
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
    const options = (id, names, words) => {
      const now = $(id).value || "all";
      replace($(id), ...["all", ...names].map(name => tag("option", { value: name, selected: name === now }, words(name))));
    };
    options("puzzle-level", Object.keys(LEVELS), name => t(`puzzle.${name}`));
    options("puzzle-theme", [...KIND_THEMES, ...MOTIFS], name => t(`theme.${name}`));
    const { solved, failed, streak, longest, player, days } = puzzleTally;
    say($("puzzle-tally"), [
      t("puzzle.rating", { rating: numberWords(Math.round(player.rating)) }),
      t("puzzle.tally", { solved: numberWords(solved.length), failed: numberWords(failed) }),
      t("puzzle.streak", { streak: numberWords(streak), longest: numberWords(longest) }),
      days.includes(dayOf(new Date())) && t("puzzle.today.solved"),
    ].filter(Boolean).join(" "));
  }
}

/* The rating of a puzzle on this device. */
function ratingOf(puzzle) {
  return puzzleTally.puzzles[nameOf(puzzle)] ?? { ...unrated(puzzle.rating), deviation: PUZZLE_DEVIATION };
}
