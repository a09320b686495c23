/* The current game: its tree, the node shown, the players, and the known values. It asks the backend once for
   each position and calls `change` after any change, `turn` after a turn, `trouble` with an error. */

import { Refused } from "./backend.js";
import { Node } from "./tree.js";
import { wait } from "./wait.js";

const MACHINE_PAUSE = 500; // ms between the turns of the machine, at least
const SEARCH_TIME = 800; // ms for the machine if no database answers
const REVIEW_TIME = 80; // ms for an estimate in a review
const GUESS_TIME = 400; // ms for the estimate of the position shown
export const PERFECT = 30;


/* A better value for the side to move is greater. */
export function weight({ wdl, dtw }) {
  if (wdl === "draw") return 0;
  return wdl === "win" ? 1000 - dtw : dtw - 1000;
}

/* The value of the position at a node for White, from -1 to 1, and whether it is only an estimate;
   null where nothing is known. A quick win is worth more than a slow one. A game that was drawn by
   repetition is a draw, whatever the position is worth. */
export function worth(node) {
  const ending = node.game?.ending ?? node.ended;
  if (ending) {
    const { winner } = ending;
    return { amount: winner === "white" ? 1 : winner === "black" ? -1 : 0, known: true };
  }
  const value = node.answer?.value;
  if (value) {
    const amount = value.wdl === "draw" ? 0 : 1 - .35 * Math.min(1, value.dtw / 206);
    return { amount: (value.wdl === "win") === (node.side === "white") ? amount : -amount, known: true };
  }
  if (node.estimate === null) return null;
  return { amount: .6 * Math.tanh(node.estimate / 400), known: false };
}

export class Game extends EventTarget {
  constructor(backend) {
    super();
    this.backend = backend;
    this.rules = null;
    this.players = { white: "hand", black: "hand" };
    this.level = PERFECT;
    this.seed = 1;
    this.mode = "analyse";
    /* The machine's turn at a node, where it is not the backend that chooses. */
    this.replies = null;
    this.paused = false;
    /* Whether unknown values of the position shown are estimated. */
    this.guesses = false;
    this.thinking = false;
    this.node = null;
    /* Whether the machine moves at the node shown even if turns follow it in the tree. */
    this.goesOn = false;
    /* Aborts the questions about a position that is not shown any more. */
    this.asking = new AbortController();
  }

  get root() { return this.node.root; }
  get side() { return this.node.side; }
  get ending() { return this.node.game?.ending ?? this.node.ended; }
  get isLeaf() { return this.node.children.length === 0; }
  get machines() { return Object.values(this.players).filter(player => player === "machine").length; }

  /* Begins with a position, or with a tree that was read or stored. */
  begin({ rules, root, node, players, level, seed, mode, replies }) {
    this.rules = rules;
    this.players = players ?? { white: "hand", black: "hand" };
    this.level = level ?? PERFECT;
    this.seed = seed ?? 1 + Math.floor(Math.random() * 2 ** 31);
    this.mode = mode ?? "analyse";
    this.replies = replies ?? null;
    this.paused = false;
    return this.goTo(node ?? root);
  }

  goTo(node, goesOn = false) {
    this.node = node;
    this.goesOn = goesOn;
    return this.refresh();
  }

  /* Makes a turn: follows the existing child, or adds a new variation. */
  play(turn) {
    const before = this.node;
    const shown = this.goTo(before.child(turn.text, turn.position), true);
    this.dispatchEvent(new CustomEvent("turn", { detail: { turn, before } }));
    return shown;
  }

  step(by) {
    const line = this.node.wholeLine;
    const place = this.node.ply + by;
    const node = line[Math.max(0, Math.min(line.length - 1, place))];
    if (node !== this.node) this.goTo(node);
  }

  /* Goes back to the last position with a person to move; the later turns stay in the tree. Two machines
     pause. */
  takeBack() {
    const { hand } = this;
    let node = this.node.parent;
    while (hand && node?.parent && node.side !== hand) node = node.parent;
    if (!node) return;
    if (this.players[node.side] !== "hand") this.paused = true;
    this.goTo(node);
  }

  /* Ends the game at the end of its line, as the players do: by giving up, by agreement, by the clock. */
  end(reason, winner) {
    const last = this.node.wholeLine.at(-1);
    last.ended = { reason, winner };
    last.root.result = winner ? { white: "1-0", black: "0-1" }[winner] : "1/2-1/2";
    return this.goTo(last);
  }

  remove() {
    const { node } = this;
    if (!node.parent) return;
    node.remove();
    if (node.all.some(({ ended }) => ended)) this.root.result = null;
    this.goTo(node.parent);
  }

  setPlayer(side, player) {
    this.players[side] = player;
    this.paused = false;
    this.refresh();
  }

  setPaused(paused) {
    this.paused = paused;
    this.goesOn ||= !paused;
    this.refresh();
  }

  /* Lets the machine move at the end of a line and after a turn that was just made, never while the user
     looks at an earlier position. */
  get machineMoves() {
    const { node } = this;
    return node.game !== null && !this.ending && !this.paused && (this.isLeaf || this.goesOn)
      && this.players[node.side] === "machine";
  }

  /* Whether a task has a right answer: then only the learner moves, and nobody once it is over. */
  get isTask() { return ["puzzle", "lesson"].includes(this.mode); }

  get handMoves() {
    const { node } = this;
    const isFree = !this.isTask || !this.paused && this.players[node.side] === "hand";
    return isFree && node.game !== null && !this.ending && !this.machineMoves;
  }

  /* The legal turns, with values where these are known; none once the game has ended. */
  get turns() {
    const { node } = this;
    if (!node.game || this.ending) return [];
    return node.answer?.turns ?? node.game.turns;
  }

  changed() {
    this.dispatchEvent(new Event("change"));
  }

  trouble(error) {
    if (error.name === "AbortError") return;
    this.dispatchEvent(new CustomEvent("trouble", { detail: error }));
  }

  /* Asks about the position shown, and lets the machine move. */
  async refresh() {
    this.asking.abort();
    const { signal } = this.asking = new AbortController();
    const { node } = this;
    this.thinking = false;
    this.changed();
    try {
      await this.learn(node, signal);
      if (signal.aborted) return;
      this.changed();
      const known = this.learnValue(node, signal);
      if (!this.machineMoves) {
        await known;
        if (!signal.aborted) this.changed();
        if (this.guesses) await this.guess(node, GUESS_TIME, signal);
        if (!signal.aborted) this.changed();
        return;
      }
      known.then(() => signal.aborted || this.changed(), error => this.trouble(error));
      await this.letMachineMove(node, signal);
    } catch (error) {
      this.trouble(error);
    }
  }

  async letMachineMove(node, signal) {
    this.thinking = true;
    this.changed();
    const { level, seed } = this;
    const how = { level, seed, movetime: SEARCH_TIME };
    const [choice] = await Promise.all([
      this.replies?.(node) ?? this.backend.play(this.rules, node.root.position, node.moves, how, signal),
      wait(MACHINE_PAUSE),
    ]);
    if (signal.aborted || !this.machineMoves) return;
    this.thinking = false;
    const turn = node.game.turns.find(({ text }) => text === choice.turn);
    if (turn) this.play(turn);
  }

  /* Asks for all that is shown of a node. */
  async learn(node, signal) {
    if (node.game) return;
    const { problem, ...step } = await this.backend.step(this.rules, node.root.position, node.moves, signal);
    node.game = step;
    node.position = step.position;
    if (step.value) node.answer = step;
    else if (problem && new Refused(problem).isUnknown) node.answer = null;
  }

  /* Finds a value that the step left out. */
  async learnValue(node, signal) {
    if (node.answer !== undefined) return;
    try {
      node.answer = await this.backend.rank(this.rules, node.root.position, node.moves, signal);
    } catch (error) {
      this.refuse(node, error);
    }
  }

  refuse(node, error) {
    if (!error.isUnknown) throw error;
    node.answer = null;
  }

  /* Asks again after a build added databases: unknown values may be known now. */
  forgetUnknown() {
    const forget = node => {
      if (node.answer === null) node.answer = undefined;
      node.children.forEach(forget);
    };
    forget(this.root);
    this.refresh();
  }

  /* Finds the values of the line shown, and estimates those that are unknown; ends when another game is
     shown. */
  async review() {
    const { root } = this;
    for (const node of this.node.wholeLine) {
      if (this.root !== root) return;
      await this.learn(node);
      await this.learnValue(node);
      await this.guess(node, REVIEW_TIME);
      this.changed();
    }
  }

  /* Estimates a position whose value is unknown, by a search of `movetime` ms. */
  async guess(node, movetime, signal) {
    if (node.answer || node.estimate !== null || node.game.ending) return;
    const choice = await this.backend.play(this.rules, node.position, [], { movetime }, signal);
    if (choice.score != null) node.estimate = node.side === "white" ? choice.score : -choice.score;
  }

  /* The line that the perfect player expects; it prefers draws that are hard to hold for the other side. */
  async perfectLine(node) {
    const how = { level: PERFECT, movetime: SEARCH_TIME };
    const { line } = await this.backend.play(this.rules, node.root.position, node.moves, how);
    const { game } = await this.backend.game(this.rules, node.position, line);
    return game;
  }

  /* A best line of the position at a node; empty where the files have no depths. The perfect player knows the repetitions. */
  async bestLine(node, limit) {
    if (node.answer?.turns.some(({ value }) => value?.by_repetition)) return (await this.perfectLine(node)).slice(0, limit);
    try {
      return (await this.backend.line(this.rules, node.position, limit)).line;
    } catch (error) {
      if (!error.isUnknown) throw error;
      return [];
    }
  }

  /* Adds a line to the tree after a node, by the rules of its tree; returns the first turn that is not legal. */
  async add({ turns: line }, node, rules) {
    const before = node.moves;
    const answer = await this.backend.game(rules, node.root.position, [...before, ...line.map(({ turn }) => turn)]);
    const made = answer.game.slice(before.length);
    let illegal = answer.illegal;
    for (const [place, { marks, comment, variations }] of line.entries()) {
      if (place >= made.length) break;
      const parent = node;
      node = node.child(made[place].text, made[place].position);
      Object.assign(node, { marks, comment });
      for (const variation of variations) {
        const inner = await this.add(variation, parent, rules);
        const [first] = variation.turns;
        const begun = parent.children.find(child => child.turn === first?.turn);
        if (begun) begun.before = variation.comment;
        illegal ??= inner.illegal;
      }
    }
    return { last: node, illegal };
  }

  /* The side that people play, if it is one. */
  get hand() {
    const hands = Object.keys(this.players).filter(side => this.players[side] === "hand");
    return hands.length === 1 ? hands[0] : null;
  }
}

/* A tree that has only its first position. */
export const fresh = position => new Node(null, position, null);
