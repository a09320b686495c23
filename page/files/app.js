/* Ties the parts of the page together: sends input to the game, and shows the state of the game on the
   board, in the texts and in the panels. */

import { backend as backendOf } from "./backend.js";
import { Board, POINTS, millsThrough, pointWords, stonesOf } from "./board.js";
import { Builder } from "./builder.js";
import { Coach } from "./coach.js";
import { device } from "./device.js";
import { $, copy, icon, replace, say, show, tag } from "./dom.js";
import { Editor } from "./editor.js";
import { Explorer, hardness } from "./explorer.js";
import { Game, PERFECT, fresh, weight, worth } from "./game.js";
import { gradeOf, markOf } from "./grade.js";
import { drawGraph } from "./graph.js";
import { Hint } from "./hint.js";
import { Home } from "./home.js";
import { Keeper } from "./keeper.js";
import { Lines } from "./lines.js";
import { Match } from "./match.js";
import { numberOf, readAddress, writeAddress, writeGame } from "./notation.js";
import { LEVELS, face, listed, opponentName, person } from "./opponents.js";
import { sound } from "./sound.js";
import { earlierGames, keepGame, loadGame, saveGame, saveSettings, settings } from "./store.js";
import { LANGUAGES, capital, fillIn, language, problemWords, remarkWords, speak, t, turnsWords, valueWords } from "./strings.js";
import { Puzzles } from "./puzzles.js";
import { server } from "./server.js";
import { Teacher } from "./teacher.js";
import { threats } from "./threats.js";
import { Trainer } from "./trainer.js";
import { Node, other } from "./tree.js";

/* Where the turns have a column of their own beside the other panels. */
const wide = matchMedia("(min-width: 84rem) and (min-height: 40rem)");
const dark = matchMedia("(prefers-color-scheme: dark)");

/* Whether the page lies on a static host; then the databases are read in this browser. */
const onHost = document.body.dataset.backend === "device";
const lostAndFound = {
  onLost(why) {
    // Without words there is nothing to say yet; the next attempt says it.
    if (!hasWords) return;
    say($("offline"), t(onHost ? "offline.host" : "offline", { why }));
    show($("offline"), true);
    if (!rulesets) home.show(true);
    render();
  },
  onFound: () => show($("offline"), false),
};
const ask = onHost ? device({ ...lostAndFound, onKept: done => keeper.progress(done) }) : server(lostAndFound);
const backend = backendOf(ask);
const game = new Game(backend);
const board = new Board($("board"), { choose, cancel: () => { chosen = nothing(); render(); }, lifts, lifted, drop });
const match = new Match({ game, changed: renderHands, say: words => { told = words; render(); } });
const { clock } = match;
const home = new Home();
const hint = new Hint(game);
const explorer = new Explorer({
  list: $("turns"), line: $("best-line"), game,
  choose: turn => play(turn), preview: turn => board.preview(turn, game.side),
  look: turn => { looked = turn; renderBoard(); },
});
const editor = new Editor({ game, changed: render, stop: stopEditing });
const tell = words => { told = words; render(); };
const lines = new Lines({ element: $("lines"), game, arrows: list => { ofLines = list; board.point(arrows()); } });
const trainer = new Trainer({ game, begin, say: tell });
const puzzles = new Puzzles({ game, begin: hidden, analyse, say: tell, lines });
const teacher = new Teacher({ game, begin: hidden, say: tell, arrows: list => { ofTask = list; board.point(arrows()); } });
const coach = new Coach({ game, say: tell, lines, look: showBoard });
/* What gives tasks, by the mode of its games. */
const tasks = { train: trainer, puzzle: puzzles, lesson: teacher };
const come = () => {
  backend.forget();
  game.forgetUnknown();
  trainer.offer();
  survey();
};
const builder = onHost ? null : new Builder({ game, ruleName: () => ruleName(), come });
const keeper = onHost ? new Keeper({ ask, come }) : null;
if (onHost) show($("notices").parentElement, false);

/* The sets of rules, and the name of the server's own; and the question for them. */
let rulesets = null;
let rulesKnown = null;
/* Whether the words of the page are here. */
let hasWords = false;
/* The stone, the target and the removals chosen so far in this turn. */
let chosen = nothing();
/* The reason why the last press did nothing, the sentence of a task, and that of a hint. */
let problem = "";
let told = "";
let hinted = "";
/* The arrows of lines, and those of a task. */
let ofLines = [];
let ofTask = [];
let wasNode = null;
/* The node whose comment is being written. */
let commented = null;
/* How far the wheel has turned since the last step, in px. */
let wheel = 0;
/* The node whose end is to be heard if the game ends there. */
let rings = null;
/* The turn of a line whose position is previewed. */
let looked = null;
/* Whether all databases of the rules are present, so that the perfect player is perfect. */
let isComplete = false;

function nothing() {
  return { from: null, to: null, removed: [] };
}

/* The rules of the game. */

const nameOf = rules => rules.name ?? "own";
const knownRules = name => [...rulesets.named, rulesets.own].find(rules => nameOf(rules) === name);
const rulesOf = name => knownRules(name) ?? rulesets.own;
/* The server uses its own rules for a question without rules. */
const asked = name => name === nameOf(rulesets.own) ? null : name;
const ruleName = () => game.rules ?? nameOf(rulesets.own);
const rules = () => rulesOf(ruleName());

const EMPTY = "********/********/********";
const emptyBoard = ({ stones }) => `${EMPTY} w p p 0 ${stones} 0 ${stones} 0 0`;
const startPosition = name => emptyBoard(rulesOf(name));
const withoutCounts = position => position.split(" ").slice(0, 8).join(" ");
const startsAtTheStart = (root = game.root, name = ruleName()) =>
  withoutCounts(root.position) === withoutCounts(startPosition(name));

/* Turns: the chosen points, and the points to choose next. */

const shownValues = () => $("values").checked && !coach.asking;

function showValues(shown) {
  $("values").checked = settings.values = shown;
  saveSettings();
}

/* The words for the strength of a level: without all databases none is perfect. */
const levelWords = level => t(level === PERFECT && !isComplete ? "level.search" : `level.${listed(level)}`);

/* Finds out which databases are present for the rules. */
async function survey() {
  const { databases, placing } = await backend.databases(game.rules);
  const now = placing.length > 0 && databases.every(({ present }) => present);
  if (now === isComplete) return;
  isComplete = now;
  writeWords();
  render();
}

/* The turns that begin with the chosen points. */
function candidates() {
  return game.turns.filter(turn =>
    (!chosen.from && !chosen.to || (turn.from ?? null) === chosen.from) && (!chosen.to || turn.to === chosen.to)
    && chosen.removed.every(name => turn.removed.includes(name)));
}

/* The next points of a candidate: one, or those of the stones still to remove. */
function nextPoints(turn) {
  if (turn.from && !chosen.from) return [turn.from];
  if (turn.to && !chosen.to) return [turn.to];
  return turn.removed.filter(name => !chosen.removed.includes(name));
}

/* Whether the next point is that of a stone to remove. */
const removes = () => {
  const [turn] = candidates();
  return turn !== undefined && (!turn.to || chosen.to) && turn.removed.length > chosen.removed.length;
};

/* Whether the stone of a point can be dragged. */
function lifts(name) {
  return !editor.active && game.handMoves && !removes() && game.turns.some(turn => turn.from === name);
}

/* A stone that is dragged is chosen, and put back unless it is dropped where it can go. */
function lifted(name) {
  problem = "";
  chosen = { ...nothing(), from: name };
  render();
}

function drop(name) {
  if (name) choose(name);
  if (chosen.to) return;
  chosen = nothing();
  render();
}

/* Handles a press on a point: the stone to move, its target, or the stone to remove. */
function choose(name) {
  if (editor.active) { editor.choose(name); return; }
  problem = "";
  if (!game.node.game) return;
  if (!game.handMoves) { problem = whyNot(name); render(); return; }
  const next = candidates().filter(turn => nextPoints(turn).includes(name));
  if (next.length === 0) {
    const isStart = game.turns.some(turn => turn.from === name);
    const again = name === chosen.from || name === chosen.to;
    if (!again && !(isStart && !chosen.to)) problem = whyNot(name);
    if (again || isStart && !chosen.to) chosen = { ...nothing(), from: isStart && !again ? name : null };
    render();
    return;
  }
  const [turn] = next;
  if (turn.from && !chosen.from) chosen.from = name;
  else if (turn.to && !chosen.to) chosen.to = name;
  else chosen.removed.push(name);
  if (nextPoints(turn).length === 0) { play(turn); return; }
  if (chosen.to && chosen.removed.length === 0) hears("mill");
  render();
}

/* A sentence that says why a point cannot be chosen. */
function whyNot(name) {
  if (game.ending) return t("why.over");
  if (game.isTask && game.paused) return t(`why.${game.mode}`);
  if (game.machineMoves) return t("why.machine");
  const held = stones()[name];
  const { side } = game;
  if (removes()) {
    if (!held) return t("why.none", { point: name });
    return held === side ? t("why.own", { side: t(side) }) : t("why.mill", { point: name });
  }
  const places = game.turns.some(turn => turn.to && !turn.from);
  if (places && !game.turns.some(turn => turn.from)) {
    return held === side ? t("why.placing") : t("why.taken", { point: name });
  }
  if (chosen.from) {
    if (held) return held === side ? t("why.stuck", { point: name }) : t("why.taken", { point: name });
    const targets = [...new Set(candidates().map(turn => turn.to))].sort();
    return t("why.far", { from: chosen.from, targets: targets.join(", ") });
  }
  if (!held) return t("why.first");
  return held === side ? t("why.stuck", { point: name }) : t("why.theirs", { point: name, side: t(side) });
}

function play(turn) {
  problem = "";
  game.play(puzzles.instead(turn));
}

/* The stones by point, with the step of an unfinished turn already made. */
function stones() {
  const found = stonesOf(game.node.position);
  if (chosen.to) {
    found[chosen.to] = game.side;
    if (chosen.from) delete found[chosen.from];
  }
  for (const name of chosen.removed) delete found[name];
  return found;
}

/* Drawing. */

function render() {
  if (!rulesets || !game.node) return;
  const { node } = game;
  game.guesses = shownValues();
  if (node !== wasNode) {
    chosen = nothing();
    problem = hinted = "";
    ofTask = [];
    wasNode = node;
  }
  board.draw({ diagonals: rules().diagonals, coordinates: settings.coordinates, flipped: settings.flipped });
  renderBoard();
  $("edit").hidden = editor.active;
  renderHands();
  renderValue();
  renderStatus();
  say($("problem"), problem);
  say($("task"), told);
  say($("hint-words"), hinted);
  renderOver();
  renderButtons();
  renderMoves();
  explorer.show({ candidates: candidates(), active: game.handMoves, values: shownValues() });
  // While the values are hidden, hide the graph, too, since it shows them.
  const isOpen = shownValues() || game.ending !== null;
  const hasGraph = isOpen && game.node.wholeLine.filter(node => worth(node)).length > 1;
  $("graph").style.setProperty("display", hasGraph ? "block" : "none");
  if (hasGraph) drawGraph($("graph"), game);
  renderTexts();
}

function renderBoard() {
  if (editor.active) {
    board.show(editor.view);
    board.point([]);
    return;
  }
  $("board").classList.toggle("previewing", looked !== null);
  if (looked) {
    const held = stonesOf(looked.position);
    const points = Object.fromEntries(POINTS.map(({ name }) => [name, { side: held[name], label: pointWords(name, held[name]) }]));
    board.show({ points, mills: [] });
    board.point([{ turn: looked, kind: "preview" }]);
    return;
  }
  const held = stones();
  const values = shownValues();
  const best = new Map();
  const removing = removes();
  if (game.handMoves) {
    for (const turn of candidates()) {
      for (const point of nextPoints(turn)) {
        const known = best.get(point);
        const isBetter = known?.value && (weight(turn.value) > weight(known.value)
          || weight(turn.value) === weight(known.value) && hardness(turn) > hardness(known));
        if (!known || isBetter) best.set(point, turn);
      }
    }
  }
  // The best turns stand out where others are worse.
  const most = best.size > 0 && game.node.answer?.value ? weight(game.turns[0].value) : null;
  const isBest = value => value && weight(value) === most;
  const differ = ![...best.values()].every(({ value }) => isBest(value));
  const [arrived, ...taken] = (game.node.turn ?? "").split("x");
  const closed = chosen.to ?? arrived.slice(-2);
  const mills = removing || taken.length > 0 ? millsThrough(closed, held, board.lines) : [];
  const points = {};
  for (const { name } of POINTS) {
    const open = best.has(name);
    const value = values ? best.get(name)?.value : null;
    const classes = [];
    if (open) classes.push(value ? value.wdl : "plain");
    if (open && chosen.from && !held[name]) classes.push("target-of");
    if (lifts(name)) classes.push("lifts");
    if (open && removing) classes.push("removable");
    if (value && differ && isBest(value)) classes.push("best");
    if (arrived.includes(name) && !chosen.from && !chosen.to) classes.push("last");
    if (taken.includes(name) && !open && !held[name]) classes.push("taken");
    if (name === chosen.from || name === chosen.to) classes.push("chosen");
    if (mills.some(line => line.includes(name))) classes.push("in-mill");
    if (hint.points.includes(name) && !chosen.to) classes.push("hinted");
    const doing = !open ? null : removing ? t("do.remove") : held[name] ? t("do.move") : chosen.from ? t("do.go") : t("do.place");
    const words = [
      pointWords(name, held[name]),
      classes.includes("chosen") && t("is.chosen"), classes.includes("hinted") && t("is.hint"),
      doing, value && valueWords(value),
    ];
    const strong = value ? 1 + Math.round(3 * hardness(best.get(name))) : 4;
    points[name] = { side: held[name], classes, open, strong, text: value?.dtw ?? "", label: words.filter(Boolean).join(", ") };
  }
  board.show({ points, mills: mills.map(line => ({ line, side: held[closed] })) });
  board.point(arrows());
}

/* The arrows of the position shown: threats, the reply to an error, the best turn or that of the hint. */
function arrows() {
  if (chosen.from || chosen.to) return [];
  const { node } = game;
  const given = [...ofLines, ...ofTask];
  if (given.length > 0) return given;
  const found = [];
  if (settings.threats && node.game && !game.ending) {
    for (const turn of threats(node.position, board.lines, rules().flying)) found.push({ turn, kind: "threat" });
  }
  const isFault = shownValues() && game.fault(node) !== null;
  const best = shownValues() && !game.ending ? explorer.bestOf(node) ?? (isFault ? node.answer?.turns[0] : null) : null;
  if (hint.told) found.push({ turn: hint.told, kind: "best" });
  else if (best) found.push({ turn: best, kind: isFault ? "refutation" : "best" });
  return found;
}

function renderHands() {
  if (!game.node) return;
  const [, , , , whiteOn, whiteHand, blackOn, blackHand] = game.node.position.split(" ");
  const [top, bottom] = settings.flipped ? ["white", "black"] : ["black", "white"];
  const on = { white: Number(whiteOn), black: Number(blackOn) };
  const hands = { white: Number(whiteHand), black: Number(blackHand) };
  // A set-up position does not say how many stones were lost before it.
  const first = game.root.position.split(" ").slice(4, 8).map(Number);
  const begun = { white: first[0] + first[1], black: first[2] + first[3] };
  for (const [place, side] of [["top", top], ["bottom", bottom]]) {
    const placed = chosen.to && !chosen.from && side === game.side && game.node.game?.phase === "placing" ? 1 : 0;
    const left = Math.max(0, hands[side] - placed);
    const lost = begun[side] - on[side] - hands[side];
    const moves = !editor.active && !game.ending && side === game.side;
    const can = moves && game.handMoves && game.node.game?.phase === "placing" && !removes();
    const chips = (count, isHeld) => Array.from({ length: count }, () => tag("span", { class: `chip ${side}${isHeld && can ? " can" : ""}`, "aria-hidden": "true" }));
    const isMachine = game.players[side] === "machine";
    const name = isMachine ? opponentName(game.level) : game.machines > 0 ? t("player.hand") : t(side);
    const about = [game.machines > 0 && t(side), isMachine && levelWords(game.level)].filter(Boolean).join(" · ");
    const parts = [
      isMachine ? face(game.level) : person(),
      tag("span", { class: "who" }, tag("b", {}, name), about && tag("small", {}, about)),
      !editor.active && tag("span", { class: "stones" }, ...chips(left, true), tag("span", {}, left > 0 ? t("hand.in", { count: left }) : t("hand.on", { count: on[side] }))),
    ];
    if (lost > 0 && !editor.active) {
      parts.push(tag("span", { class: "lost" }, ...chips(lost), tag("span", { class: "unseen" }, t("hand.lost", { count: lost }))));
    }
    if (clock.isOn) parts.push(tag("time", { class: clock.left[side] < 20_000 && "low" }, clock.words(side)));
    const hand = $(`hand-${place}`);
    hand.classList.toggle("moves-now", moves);
    replace(hand, ...parts);
  }
}

function renderValue() {
  const { node } = game;
  const known = worth(node);
  const hidden = !shownValues() && !game.ending || editor.active;
  let words = node.answer === undefined ? t("value.asked") : t("value.unknown");
  if (game.ending) words = resultWords();
  else if (node.answer?.value) words = sideWords(node.side, node.answer.value) + limitWords(node);
  else if (known) words = guessWords(node.estimate);
  if (hidden) words = t("value.hidden");
  const meter = $("meter");
  meter.classList.toggle("unknown", hidden || !known);
  meter.classList.toggle("guess", !hidden && known?.known === false);
  const share = hidden || !known ? 0 : known.amount;
  $("share").style.setProperty("width", `${50 + 50 * share}%`);
  meter.setAttribute("aria-valuenow", share.toFixed(2));
  meter.setAttribute("aria-valuetext", words);
  say($("value"), hidden || game.ending ? "" : words);
}

/* An estimate is named as one: the score of a search for White, in hundredths of a stone. */
function guessWords(estimate) {
  const side = estimate > 0 ? "white" : "black";
  const words = Math.abs(estimate) < 30 ? t("guess.even") : t(Math.abs(estimate) < 120 ? "guess.better" : "guess.winning", { side: t(side) });
  const score = (estimate / 100).toLocaleString(language, { signDisplay: "always", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return t("value.guess", { words, score });
}

function sideWords(side, value) {
  if (value.wdl === "draw") return t("value.drawn");
  const winner = t(value.wdl === "win" ? side : other(side));
  if (value.dtw === 0) return t("value.won", { side: winner });
  return t("value.wins", { side: winner, turns: turnsWords(value.dtw) });
}

/* Says so where the count of quiet turns may end the game before the value does. */
function limitWords({ game: standing, answer }) {
  const count = rules().quiet_turns || rulesets.draws.quiet_turns;
  const { dtw } = answer.value;
  return count > 0 && dtw !== null && standing && standing.quiet_turns + dtw > count ? t("value.unless", { count }) : "";
}

/* The headline says what is to be done, the sentence with it what was played. */
function renderStatus() {
  // Screen readers read the status aloud, so it waits until all of it is known, or known to be late.
  if (!game.node.game && $("offline").hidden) return;
  const [detail, headline] = editor.active ? ["", t("setup.edit")] : statusWords();
  const key = `${detail} ${headline}`;
  if ($("status").textContent === key) return;
  $("status").replaceChildren(tag("span", {}, detail), " ", tag("span", { class: "headline" }, headline));
}

function statusWords() {
  const { node } = game;
  const words = [];
  if (node.turn) {
    const fault = shownValues() && game.fault(node);
    const values = { side: t(node.parent.side), turn: node.turn };
    words.push(fault
      ? t("status.fault", { ...values, fault: t("fault", { from: valueWords(fault.from), to: valueWords(fault.to) }) })
      : t("status.played", values));
  }
  const said = headline => [words.join(" "), headline];
  if (game.ending) return said("");
  const side = t(node.side);
  if (!node.game) return said(t("status.moving", { side }));
  if (node.game.occurrences === 2) words.push(t("status.occurrence"));
  const limit = rules().quiet_turns || rulesets.draws.quiet_turns;
  if (limit > 0 && 10 * node.game.quiet_turns >= 7 * limit) words.push(t("status.quiet", { count: node.game.quiet_turns, limit }));
  if (removes()) return said(t("status.mill", { side }));
  if (chosen.from) return said(t("status.from", { side, from: chosen.from }));
  if (game.machineMoves) return said(t("status.thinking", { side: opponentName(game.level) }));
  if (game.turns[0]?.text === "pass") return said(t("status.pass", { side }));
  const value = shownValues() && node.answer?.value;
  const act = t(`status.${node.game.phase}`, { side });
  if (game.paused && !game.isTask) words.push(t("status.paused"));
  return said(`${act}${value ? `: ${valueWords(value)}` : ""}.`);
}

function resultWords() {
  const { winner } = game.ending;
  if (!winner) return t("over.draw");
  if (game.hand) return t(winner === game.hand ? "over.you" : "over.machine", { name: opponentName(game.level) });
  return t(`over.${winner}`);
}

function reasonWords() {
  const { reason, winner } = game.ending;
  const { node } = game;
  const side = winner ? t(other(winner)) : "";
  const count = reason === "quiet" ? node.game.quiet_turns : node.game?.occurrences;
  if (reason === "repetition" && count === 2) return t("status.occurrence");
  return t(`over.${reason}`, { side, count });
}

function renderOver() {
  const over = game.ending !== null && !editor.active;
  if (over && rings === game.node) {
    rings = null;
    hears("end", .7);
  }
  show($("over"), over, $("new"));
  if (!over) return;
  say($("over-result"), resultWords());
  say($("over-reason"), reasonWords());
  $("rematch").hidden = game.mode !== "play";
}

function enable(id, enabled) {
  $(id).setAttribute("aria-disabled", String(!enabled));
}

function renderButtons() {
  const { node } = game;
  show($("next-mistake"), shownValues() && coach.mistakes.length > 0, $("find-mistakes"));
  const canGoBack = node.parent !== null && !editor.active;
  const canGoOn = !game.isLeaf && !editor.active;
  for (const id of ["first", "previous", "back"]) enable(id, canGoBack);
  for (const id of ["next", "last"]) enable(id, canGoOn);
  enable("hint", game.handMoves && !editor.active && !game.isTask);
  say($("hint").querySelector("span"), hint.node === node && hint.step > 0 && hint.step < 3 ? t("do.more") : t("do.hint"));
  const isPlayed = game.mode === "play" && game.handMoves && !editor.active && game.root.children.length > 0;
  for (const id of ["resign", "offer"]) enable(id, isPlayed);
  const pausable = game.machines === 2 || game.paused && !game.isTask;
  show($("pause"), pausable, $("new"));
  say($("pause"), game.paused ? t("do.on") : t("do.pause"));
  show($("node-tools"), game.root.children.length > 0, $("new"));
  enable("remove", node.parent !== null);
  enable("promote", node.path.some(({ parent }, place) => parent && parent.children[0] !== node.path[place]));
  for (const side of ["white", "black"]) $(side).value = game.players[side];
  $("level").value = listed(game.level);
  say($("title"), t(`rules.${ruleName()}`));
  document.title = `Millbase – ${t(`rules.${ruleName()}`)}`;
}

/* The tree as a text of buttons: the main line, with variations in blocks of their own. */
function renderMoves() {
  const list = $("game");
  $("no-game").hidden = game.root.children.length > 0;
  list.hidden = game.root.children.length === 0;
  replace(list, ...commentParts(game.root.comment), ...movesAfter(game.root, true));
  const current = list.querySelector("[aria-current]");
  if (!current) return;
  const [box, mark] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (mark.bottom > box.bottom) list.scrollTop += mark.bottom - box.bottom;
  if (mark.top < box.top) list.scrollTop -= box.top - mark.top;
}

function movesAfter(node, isNew) {
  const parts = [];
  for (let fresh = isNew; node.children.length > 0; node = node.children[0]) {
    const [main, ...others] = node.children;
    parts.push(...moveParts(main, fresh));
    fresh = main.comment !== "" || others.length > 0;
    for (const variation of others) {
      const inner = [...commentParts(variation.before), ...moveParts(variation, true), ...movesAfter(variation, variation.comment !== "")];
      parts.push(tag("span", { class: "variation" }, ...inner));
    }
  }
  return parts;
}

function moveParts(node, isNew) {
  const parts = [];
  const { side } = node.parent;
  if (side === "white" || isNew) parts.push(tag("span", { class: "number" }, `${numberOf(node)}.${side === "white" ? "" : ".."}`));
  const grade = shownValues() && gradeOf(node);
  const fault = grade?.lost > 0 && grade;
  const value = shownValues() && node.parent.answer?.turns.find(({ text }) => text === node.turn)?.value;
  const words = fault ? t("fault", { from: valueWords(fault.from), to: valueWords(fault.to) }) : value ? valueWords(value) : null;
  const label = [`${t(side)} ${node.turn}`, words].filter(Boolean).join(", ");
  const button = tag("button", {
    type: "button", "data-key": node.key, "aria-label": label, title: words && capital(words),
    "aria-current": node === game.node && "step", click: () => game.goTo(node),
  }, node.turn);
  // A review leaves its marks where values are not known at once.
  const sign = grade ? markOf(grade) : shownValues() && ["?", "??", "?!"].find(one => one === node.marks.split(" ")[0]);
  if (sign) button.append(" ", tag("span", { class: "fault" }, sign));
  parts.push(button);
  return [...parts, ...commentParts(node.comment)];
}

const commentParts = comment => comment ? [tag("span", { class: "comment" }, ` ${comment} `)] : [];

function gameText(root = game.root, name = ruleName()) {
  return writeGame(root, { rules: name, startPosition: startsAtTheStart(root, name) });
}

/* Shows the texts, stores the game, and puts it into the address. */
function renderTexts() {
  // The user's own text stays until there is something new to show.
  const set = (field, text) => {
    if (field.dataset.shown === text || document.activeElement === field) return;
    field.value = field.dataset.shown = text;
  };
  set($("position-text"), game.node.position);
  set($("game-text"), game.root.children.length > 0 ? gameText() : "");
  if (commented === null) $("comment").value = game.node.comment;
  const address = writeAddress(game.node, {
    rules: ruleName(), startPosition: startsAtTheStart(), ownRules: nameOf(rulesets.own), values: shownValues(),
  });
  if (address !== location.hash.slice(1)) history.replaceState(null, "", address ? `#${address}` : location.pathname);
  saveGame({
    rules: ruleName(), tree: game.root.pack(), at: game.node.moves, players: game.players, level: game.level,
    seed: game.seed, mode: game.mode, address, clock: clock.state, home: home.isOpen,
    task: tasks[game.mode]?.active ? tasks[game.mode].state : null,
  });
}

/* Beginning, opening and storing games. */

/* Begins a game; the game before it is stored. */
function begin(how) {
  keep();
  home.show(false);
  clock.resume(how.clock);
  editor.active = false;
  $("editor").hidden = true;
  problem = told = "";
  commented = null;
  say($("review-words"), "");
  const changed = how.rules !== game.rules;
  const started = game.begin(how);
  if (changed) meetRules();
  return started;
}

/* Begins a task, on the board and without values, which would give a solution away. */
function hidden(how) {
  showValues(false);
  begin({ ...how, rules: asked(how.rules) });
  showBoard();
}

function showBoard() {
  board.focusAnywhere();
  $("board").scrollIntoView({ block: "nearest" });
}

/* Opens the game shown for both sides, with its values. */
function analyse() {
  showValues(true);
  told = "";
  game.begin({ rules: game.rules, root: game.root, node: game.node });
}

/* Adds the game shown to the earlier ones. */
function keep() {
  if (game.node) keepTree(game.root, ruleName(), game.mode);
  showEarlier();
}

function keepTree(root, name, mode) {
  if (root.size > 1 && !(mode in tasks)) keepGame(gameText(root, name), root.size);
}

function showEarlier() {
  const games = earlierGames();
  $("earlier-field").hidden = games.length === 0;
  replace($("earlier"), ...games.map(({ date, turns }, place) =>
    tag("option", { value: place }, `${new Date(date).toLocaleString(language, { dateStyle: "short", timeStyle: "short" })}, ${t("setup.turns", { count: turns })}`)));
}

/* Updates all that depends on the rules: databases, practice, the rules in brief. */
function meetRules() {
  if (!home.isOpen) lookAround();
  survey().catch(error => game.trouble(error));
  const {
    stones: count, flying, diagonals, blocked, full_board: full, removal_from_mills: any, removal_per_mill: each,
    quiet_turns: limit, quiet_turns_flying: few,
  } = rules();
  const { draws } = rulesets;
  const drawn = [
    full === "draws" && 2 * count === POINTS.length && t("rule.draw.full"),
    draws.repetitions > 0 && t("rule.draw.repetitions", { count: draws.repetitions }),
    (limit || draws.quiet_turns) > 0 && t("rule.draw.quiet", { count: limit || draws.quiet_turns }),
    few > 0 && t("rule.draw.few", { count: few }),
  ].filter(Boolean).join(t("or"));
  const words = [
    t("rule.1", { stones: count }), t("rule.2"), t(any ? "rule.remove.any" : "rule.remove"), each && t("rule.remove.each"),
    t("rule.3"), flying > 0 && t("rule.fly", { flying }),
    t(blocked === "passes" ? "rule.4.passes" : "rule.4"),
    drawn && t("rule.draw", { draws: drawn }),
    limit > 0 && t("rule.distance"),
  ].filter(Boolean);
  replace($("rules-text"), ...words.map(text => tag("li", {}, text)));
  board.draw({ diagonals, coordinates: settings.coordinates, flipped: settings.flipped });
}

/* Asks what only the table shows: databases to build or to keep, and endgames to practise. */
function lookAround() {
  (builder ?? keeper).look().catch(error => game.trouble(error));
  trainer.offer().catch(error => game.trouble(error));
}

async function start(players, mode) {
  await rulesKnown;
  settings.flipped = players.white === "machine" && players.black === "hand";
  showValues(mode === "analyse");
  const name = $("start-rules").value;
  if (home.isOpen) lookAround();
  begin({ rules: asked(name), root: fresh(startPosition(name)), players, mode, level: settings.level });
  if (mode === "play") clock.set(settings.clock);
  openPanel(mode === "analyse" ? "turns" : "game");
  render();
  board.focusAnywhere();
}

/* Shows the table with one of its panels: game, turns, setup, learn or options. */
function openPanel(name) {
  if (home.isOpen) lookAround();
  home.show(false);
  selectTab($(`tab-${name}`));
}

function goHome() {
  $("start-continue").hidden = game.root.children.length === 0;
  say($("continue-words"), t("setup.turns", { count: game.root.size }));
  home.show(true);
  $("home-title").focus();
  render();
}

/* Opens a game read from a text or an address; returns a sentence if something is wrong with it. */
async function open({ rules: name, position, line, at, tags = [], result = null, values = false }) {
  if (name && !knownRules(name)) {
    const names = [...new Set([...rulesets.named, rulesets.own].map(nameOf))].join(", ");
    return t("problem.rules", { name, names });
  }
  const wanted = knownRules(name) ? asked(name) : game.rules;
  const shownName = wanted ?? nameOf(rulesets.own);
  const root = fresh(position ?? startPosition(shownName));
  Object.assign(root, { tags, result, comment: line.comment });
  const before = game.rules;
  game.rules = wanted;
  let last;
  let illegal;
  try {
    ({ last, illegal } = await game.add(line, root));
    if (line.turns.length === 0) root.position = (await backend.step(wanted, root.position, [])).position;
  } finally {
    game.rules = before;
  }
  if (illegal && last === root && !position) return `${t("setup.illegal", illegal)} ${t("setup.nothing")}`;
  if (values) showValues(true);
  begin({ rules: wanted, root, node: at == null ? last : root.all[at] ?? last });
  return illegal ? t("setup.illegal", illegal) : "";
}

/* The sentence that a loading returns, or that of its refusal. */
async function sentence(loading) {
  try {
    return await loading() ?? "";
  } catch (error) {
    if (!error.code) throw error;
    return problemWords(error);
  }
}

/* The games of the text that was loaded last, and the text. */
let choices = null;

/* Loads the text beside a button, and shows errors beside it. */
async function load(place, loading) {
  say($(place), "");
  say($(place), await sentence(loading));
}

async function loadText() {
  const field = $("game-text");
  const text = field.value;
  const { games, left_out: more } = await backend.read(game.rules, text);
  if (games.length === 0) return t("setup.unreadable");
  choices = { text, games };
  $("choice-field").hidden = games.length === 1;
  replace($("choice"), ...games.map((record, place) => tag("option", { value: place }, titleOf(record, place))));
  const words = await openChoice(0);
  return more > 0 ? `${t("setup.more", { count: more })} ${words}` : words;
}

async function openChoice(place) {
  const { text, games } = choices;
  const words = await openRecord(games[place]);
  // A text with something that could not be read stays, to be mended.
  if (words) $("game-text").value = text;
  return words;
}

/* The players and the result of a game, and its number. */
function titleOf({ tags, result, line }, place) {
  const player = side => tags.find(({ name, value }) => name === side && value !== "?")?.value ?? t(side.toLowerCase());
  const title = `${place + 1}. ${player("White")} – ${player("Black")} ${result ?? ""}`.trim();
  return `${title}, ${t("setup.turns", { count: line.turns.length })}`;
}

/* Opens a game that the backend has read; returns the remarks about it. */
async function openRecord(record, where = {}) {
  const { rules, start, line, remarks, tags, result } = record;
  const words = remarks.map(remarkWords).join(" ");
  if (line.turns.length === 0 && remarks.some(({ cuts }) => cuts)) return `${words} ${t("setup.nothing")}`;
  return [await open({ rules, position: start, line, tags, result, ...where }), words].filter(Boolean).join(" ");
}

/* Opens the position of a text in any form, or says what is wrong with it. */
async function loadPosition() {
  const text = $("position-text").value.trim();
  const { games: [found] } = await backend.read(game.rules, text);
  const position = found && found.remarks.length === 0 ? found.position : text;
  return open({ rules: ruleName(), position, line: NO_TURNS });
}

const NO_TURNS = { comment: "", turns: [] };

/* Opens the game of an address. */
async function openAddress(address) {
  problem = await sentence(async () => {
    if (!address.text) return open(address);
    const { games: [record] } = await backend.read(game.rules, address.text);
    return record ? openRecord(record, address.place) : t("setup.unreadable");
  });
  render();
}

async function openFirst() {
  const saved = loadGame();
  const address = readAddress(location.hash);
  if (!saved && !address) home.show(true);
  rulesets = await rulesKnown;
  writeWords();
  if (saved && knownRules(saved.rules)) {
    const root = Node.unpack(saved.tree);
    if (!address || saved.address === location.hash.slice(1)) {
      await openSaved(saved, root);
      if (saved.home) goHome();
      return;
    }
    keepTree(root, saved.rules, saved.mode);
  }
  const isHome = home.isOpen || !address;
  begin({ rules: null, root: fresh(startPosition(nameOf(rulesets.own))) });
  if (isHome) home.show(true);
  else await openAddress(address);
  render();
}

/* Goes on with a stored game, and with its task. */
async function openSaved(saved, root) {
  let node = root;
  for (const turn of saved.at) node = node.children.find(child => child.turn === turn) ?? node;
  const giver = saved.task && tasks[saved.mode];
  await giver?.resume(saved.task).catch(() => {});
  const replies = giver?.task && giver.reply ? at => giver.reply(at) : null;
  begin({ ...saved, rules: asked(saved.rules), root, node, replies });
  game.paused = Boolean(game.isTask && giver?.task?.done);
  sayTask();
}

/* Says the task of the game. */
function sayTask() {
  if (tasks[game.mode]?.active) tasks[game.mode].tell();
}

function stopEditing(text) {
  $("edit").hidden = false;
  $("edit").focus();
  $("editor").hidden = true;
  if (text !== null) load("edit-problem", () => open({ rules: ruleName(), position: text, line: NO_TURNS }));
  render();
}

/* Sounds. */

const hears = (name, delay) => { if (settings.sound) sound(name, delay); };

/* The sounds of a turn. Who closes a mill by hand has heard it before choosing the stone to remove. */
function hear({ from, removed }, side) {
  rings = game.node;
  const isMachine = game.players[side] === "machine";
  if (isMachine || removed.length === 0) hears(from ? "slide" : "place");
  if (removed.length === 0) return;
  if (isMachine) hears("mill", .25);
  hears("removal", isMachine ? .6 : 0);
}

/* Buttons, fields and keys. */

/* Until the rules are known, there is nothing to do. */
const press = (id, act) => $(id).addEventListener("click", () => {
  if (rulesets && $(id).getAttribute("aria-disabled") !== "true") act();
});

function listen() {
  game.addEventListener("change", render);
  game.addEventListener("turn", ({ detail: { turn, before } }) => {
    const mills = turn.removed.length > 0 ? millsThrough(turn.to, stonesOf(turn.position), board.lines) : [];
    board.animate(turn, before.side, mills);
    hear(turn, before.side);
  });
  game.addEventListener("trouble", ({ detail }) => {
    console.error(detail);
    problem = detail.code ? problemWords(detail) : t("trouble");
    render();
  });
  for (const id of ["new", "brand", "go-play"]) press(id, goHome);
  for (const id of ["go-puzzles", "start-puzzles"]) press(id, () => { openPanel("learn"); $("puzzle-start").click(); });
  for (const id of ["go-learn", "start-learn"]) press(id, () => { openPanel("learn"); render(); });
  press("start-continue", () => { openPanel("game"); render(); board.focusAnywhere(); });
  press("resign", () => match.resign());
  press("offer", () => match.offerDraw().catch(error => game.trouble(error)));
  press("start-white", () => start({ white: "hand", black: "machine" }, "play"));
  press("start-black", () => start({ white: "machine", black: "hand" }, "play"));
  press("start-two", () => start({ white: "hand", black: "hand" }, "play"));
  for (const id of ["go-analyse", "start-analyse"]) press(id, () => start({ white: "hand", black: "hand" }, "analyse"));
  press("first", () => game.step(-Infinity));
  press("previous", () => game.step(-1));
  press("next", () => game.step(1));
  press("last", () => game.step(Infinity));
  press("back", () => { problem = ""; game.takeBack(); });
  press("pause", () => game.setPaused(!game.paused));
  press("flip", () => { settings.flipped = !settings.flipped; saveSettings(); render(); });
  press("hint", async () => {
    try {
      hinted = await hint.next() ?? "";
      render();
    } catch (error) {
      game.trouble(error);
    }
  });
  press("rematch", () => {
    const { white, black } = game.players;
    const players = white === black ? game.players : { white: black, black: white };
    settings.flipped = players.white === "machine" && players.black === "hand";
    showValues(false);
    begin({ rules: game.rules, root: fresh(startPosition(ruleName())), players, level: game.level, mode: "play" });
    clock.set(settings.clock);
    render();
    board.focusAnywhere();
  });
  press("review", review);
  press("find-mistakes", review);
  press("next-mistake", () => coach.start());
  press("promote", () => { game.node.promote(); render(); });
  press("remove", () => {
    const count = game.node.size + 1;
    if (count === 1 || confirm(t("game.sure", { count }))) game.remove();
  });
  $("comment").addEventListener("focus", () => { commented = game.node; });
  $("comment").addEventListener("blur", () => { commented = null; render(); });
  $("comment").addEventListener("input", () => { (commented ?? game.node).comment = $("comment").value.trim(); render(); });
  for (const side of ["white", "black"]) $(side).addEventListener("change", () => game.setPlayer(side, $(side).value));
  $("level").addEventListener("change", () => { game.level = Number($("level").value); render(); });
  for (const [id, key] of [["values", "values"], ["threats", "threats"], ["coordinates", "coordinates"], ["sound", "sound"], ["notices", "notice"]]) {
    $(id).checked = settings[key];
    $(id).addEventListener("change", () => {
      settings[key] = $(id).checked;
      saveSettings();
      if (id === "notices") builder?.look().catch(error => game.trouble(error));
      if (id === "values") game.refresh();
      render();
    });
  }
  for (const id of ["theme", "scheme"]) {
    $(id).value = settings[id];
    $(id).addEventListener("change", () => {
      settings[id] = $(id).value;
      saveSettings();
      paint();
    });
  }
  dark.addEventListener("change", paint);
  for (const place of ["top", "bottom"]) $(`hand-${place}`).addEventListener("pointerdown", event => {
    if (event.target.closest(".can")) board.lift(event, game.side);
  });
  press("edit", () => { problem = ""; $("editor").hidden = false; editor.begin(game.node.position); });
  press("position-load", () => load("position-problem", loadPosition));
  press("game-load", () => load("game-problem", loadText));
  $("choice").addEventListener("change", () => load("game-problem", () => openChoice($("choice").value)));
  press("earlier-open", () => load("game-problem", async () => {
    const { games: [record] } = await backend.read(game.rules, earlierGames()[$("earlier").value].text);
    return openRecord(record);
  }));
  const copies = (id, text) => press(id, async () => { await copy(text()); say($("copied"), t("setup.copied")); });
  copies("position-copy", () => game.node.position);
  copies("game-copy", gameText);
  copies("link-copy", () => location.href);
  $("position-text").addEventListener("keydown", event => { if (event.key === "Enter") $("position-load").click(); });
  // The page may have written the address of the game shown since then.
  addEventListener("hashchange", ({ newURL }) => {
    const address = readAddress(new URL(newURL).hash);
    if (address && rulesets) openAddress(address);
  });
  $("language").addEventListener("change", async () => {
    settings.language = $("language").value;
    problem = hinted = told = "";
    saveSettings();
    try {
      await speak(settings.language);
    } catch (error) {
      game.trouble(error);
      return;
    }
    writeWords();
    meetRules();
    sayTask();
    render();
  });
  listenToTabs();
  wide.addEventListener("change", () => { if (isTurnsTab()) selectTab($("tab-game")); });
  addEventListener("keydown", walk);
  $("board").addEventListener("wheel", turnWheel, { passive: false });
}

/* The arrow keys, Home and End step through the game, unless the focused element uses them; ? lists all keys. */
function walk(event) {
  if (event.altKey || event.ctrlKey || event.metaKey || home.isOpen || document.querySelector("dialog[open]")) return;
  if (event.key === "?" && !event.target.closest("input, select, textarea")) {
    $("keys").showModal();
    return;
  }
  if (editor.active) return;
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  const { target } = event;
  const scrolls = ["Home", "End"].includes(event.key) && target.closest(".scroll");
  const uses = scrolls || target.closest("input, select, textarea, [role=tab]");
  if (uses || !(event.key in steps)) return;
  event.preventDefault();
  game.step(steps[event.key]);
}

/* The wheel steps through the game over the board: once for each notch, or for as long a stroke of a touchpad. */
function turnWheel(event) {
  const NOTCH = 100; // px
  if (event.ctrlKey || editor.active) return;
  event.preventDefault();
  const turned = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : Math.sign(event.deltaY) * NOTCH;
  // A stroke in the other direction begins anew.
  wheel = wheel * turned < 0 ? turned : wheel + turned;
  const steps = Math.trunc(wheel / NOTCH);
  wheel -= steps * NOTCH;
  if (steps !== 0) game.step(steps);
}

const tabs = [...document.querySelectorAll("[role=tab]")];
const isTurnsTab = () => wide.matches && $("tab-turns").getAttribute("aria-selected") === "true";

function selectTab(tab) {
  const wanted = wide.matches && tab.id === "tab-turns" ? $("tab-game") : tab;
  for (const other of tabs) {
    const selected = other === wanted;
    other.setAttribute("aria-selected", String(selected));
    other.tabIndex = selected ? 0 : -1;
    $(other.getAttribute("aria-controls")).hidden = !selected;
  }
  if (wanted.id === "tab-setup") showEarlier();
  else if (editor.active) editor.end();
}

function listenToTabs() {
  for (const tab of tabs) {
    tab.addEventListener("click", () => selectTab(tab));
    tab.addEventListener("keydown", event => {
      const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      if (!by) return;
      const shown = tabs.filter(other => other.offsetParent !== null);
      const next = shown[(shown.indexOf(tab) + by + shown.length) % shown.length];
      selectTab(next);
      next.focus();
      event.preventDefault();
    });
  }
  selectTab(tabs[0]);
}

/* Shows the chosen colours, and those of the system where none are chosen. */
function paint() {
  const { theme, scheme } = settings;
  Object.assign(document.documentElement.dataset, { theme, scheme: scheme === "system" ? dark.matches ? "dark" : "light" : scheme });
}

function review() {
  $("tab-game").click();
  $("values").checked = true;
  return coach.review();
}

/* Writes all words of the page in the chosen language. */
function writeWords() {
  fillIn();
  replace($("language"), ...Object.entries(LANGUAGES).map(([code, name]) => tag("option", { value: code, lang: code, selected: code === language }, name)));
  const now = listed(game.level);
  replace($("level"), ...LEVELS.map(level =>
    tag("option", { value: level, selected: level === now }, `${opponentName(level)}, ${levelWords(level)}`)));
  home.offer(levelWords);
  replace($("legend"), ...["win", "draw", "loss"].map(wdl => tag("span", {}, icon(wdl), ` ${t(`legend.${wdl}`)}`)));
  for (const [id, key] of [["first", "nav.first"], ["previous", "nav.previous"], ["next", "nav.next"], ["last", "nav.last"]]) $(id).title = t(key);
  $("board").setAttribute("aria-roledescription", t("board.role"));
  if (rulesets) {
    const names = [...new Set([nameOf(rulesets.own), ...rulesets.named.map(nameOf)])];
    const now = game.node ? ruleName() : names[0];
    replace($("start-rules"), ...names.map(name => tag("option", { value: name, selected: name === now }, t(`rules.${name}`))));
  }
  trainer.showTally();
  puzzles.showTally();
  teacher.showList();
}

paint();
rulesKnown = backend.rules();
// The first position is asked for while the words arrive.
if (!loadGame()) rulesKnown.then(({ own }) => backend.step(null, emptyBoard(own), [])).catch(() => {});
await speak(settings.language);
hasWords = true;
listen();
writeWords();
await openFirst();
meetRules();
// From now on the page opens without a network, too.
navigator.serviceWorker?.register("sw.js").catch(() => {});
