/* Ties the parts of the page together: begins games, sends input to them, and lets each part show the state of the game. */

import { backend as backendOf } from "./backend.js";
import { Board, millsThrough, stonesOf } from "./board.js";
import { Choice } from "./choice.js";
import { Controls } from "./controls.js";
import { device } from "./device.js";
import { $, icon, replace, say, show, tag } from "./dom.js";
import { Editor } from "./editor.js";
import { Explorer } from "./explorer.js";
import { Game, PERFECT, fresh, worth } from "./game.js";
import { Hands } from "./hands.js";
import { Hint } from "./hint.js";
import { Home } from "./home.js";
import { listenToSteps } from "./keys.js";
import { Lines } from "./lines.js";
import { Match } from "./match.js";
import { showMoves } from "./moves.js";
import { readAddress, writeAddress } from "./notation.js";
import { LEVELS, listed, opponentName } from "./opponents.js";
import { paint } from "./options.js";
import { Ruleset, emptyBoard } from "./ruleset.js";
import { server } from "./server.js";
import { Setup } from "./setup.js";
import { State } from "./state.js";
import { loadGame, saveGame, saveSettings, settings } from "./store.js";
import { LANGUAGES, fillIn, language, sentence, speak, t, troubleWords, turnsWords } from "./strings.js";
import { listenToTabs, showPanel } from "./tabs.js";
import { Node } from "./tree.js";
import { View } from "./view.js";

/* The words of the page beside the board, by element: why the last press did nothing, the task, the hint. */
const said = { problem: "", task: "", "hint-words": "" };
/* Whether the words of the page are here. */
let hasWords = false;
/* The opening of the first game, and whether it has ended. */
let opened = null;
let hasOpened = false;
/* Whether all databases of the rules are present, so that the perfect player is perfect. */
let isComplete = false;
/* Gives the words for the lack of answers, while there is one. */
let offline = null;
let wasNode = null;
/* The modes of games with a task, and the parts that are loaded after the first position: `enterRooms` makes them. */
const TASKS = ["train", "puzzle", "lesson"];
const rooms = {};
let entered = null;
let attempts = 0;

const shownValues = () => $("values").checked && !rooms.coach?.asking;
/* The words for the strength of a level: without all databases none is perfect. */
const levelWords = level => t(level === PERFECT && !isComplete ? "level.search" : `level.${listed(level)}`);
const tell = words => { said.task = words; render(); };
/* Calls `act` when a button is pressed, and says if it fails. A press before the first game is shown waits for it. */
const press = (id, act) => $(id).addEventListener("click", async () => {
  if ($(id).getAttribute("aria-disabled") === "true") return;
  try {
    if (!hasOpened) await opened;
    await act();
  } catch (error) {
    game.trouble(error);
  }
});

/* The parts. */

/* Whether the page lies on a static host; then the databases are read in this browser. */
const onHost = document.body.dataset.backend === "device";
const lostAndFound = {
  onLost(why) {
    // Without words there is nothing to say yet; the next attempt says it.
    if (!hasWords) return;
    sayOffline(() => t(onHost ? "offline.host" : "offline", { why }));
    if (!ruleset.sets) home.show(true);
    render();
  },
  onFound() {
    if (!offline) return;
    offline = null;
    show($("offline"), false);
    // What only the host knows was unknown meanwhile.
    if (onHost && game.node) { game.forgetUnknown(); rooms.stats?.forget(); }
  },
};
/* Says above the board why there are no answers. */
function sayOffline(words) {
  offline = words;
  say($("offline"), words());
  show($("offline"), true);
}
const ask = onHost ? device({ ...lostAndFound, onKept: done => rooms.keeper.progress(done) }) : server(lostAndFound);
const backend = backendOf(ask);
const game = new Game(backend);
const ruleset = new Ruleset(game);
const choice = new Choice(game);
const hint = new Hint(game);
const home = new Home();
const editor = new Editor({ game, changed: render, stop: stopEditing });
const board = new Board($("board"), {
  choose, lifted, drop, cancel: () => { choice.clear(); render(); }, lifts: name => !editor.active && choice.lifts(name),
});
const view = new View({ board, game, choice, editor, hint, ruleset, values: shownValues, bestOf: node => explorer.bestOf(node) });
const explorer = new Explorer({
  list: $("turns"), line: $("best-line"), game,
  choose: play, preview: turn => board.preview(turn, game.side), look: turn => view.look(turn),
});
const state = new State({ game, choice, editor, ruleset, values: shownValues, ended: () => rooms.sounds?.hearEnd() });
const match = new Match({ game, changed: () => hands.show(), say: tell });
const { clock } = match;
const hands = new Hands({ game, choice, clock, editor, levelWords, lift: (event, side) => board.lift(event, side) });
const lines = new Lines({ element: $("lines"), game, arrows: arrows => view.pointLines(arrows) });
const setup = new Setup({ game, ruleset, begin, press, save: form => enterRooms().then(() => rooms.savePicture($("board"), form)) });
const controls = new Controls({
  game, editor, hint, rooms, match, ruleset, press, said, values: shownValues,
  page: { render, enterRooms, goHome, openPanel, start, rematch, review, speakIn, showBoard, lookAround },
});

/* The puzzles, lessons and other rooms, which are loaded once. */
function enterRooms() {
  // A browser may remember that an address failed.
  entered ??= import(attempts++ ? `./rooms.js?${attempts}` : "./rooms.js").then(({ Builder, Coach, Gallery, Keeper, Puzzles, Sounds, Stats, Teacher, Trainer, drawGraph, savePicture }) => {
    Object.assign(rooms, { drawGraph, savePicture });
    rooms.sounds = new Sounds(game);
    rooms.coach = new Coach({ game, say: tell, lines, look: showBoard });
    rooms.train = new Trainer({ game, begin, say: tell });
    rooms.puzzle = new Puzzles({ game, begin: beginTask, analyse, say: tell, lines });
    rooms.lesson = new Teacher({ game, begin: beginTask, say: tell, arrows: arrows => view.pointTask(arrows) });
    rooms.gallery = new Gallery({ open: game => setup.open(game) });
    rooms.stats = new Stats(game, ruleset);
    if (onHost) rooms.keeper = new Keeper({ ask, come });
    else rooms.builder = new Builder({ game, ruleName: () => ruleset.name, come });
    sayRooms();
    render();
    if (attempts > 1 && !home.isOpen) lookAround();
  });
  // A script that did not come is asked for again.
  entered.catch(() => { entered = null; });
  return entered;
}

/* The part that gives the task of the game. */
const giver = () => TASKS.includes(game.mode) ? rooms[game.mode] : null;

/* Showing. */

function render() {
  if (!ruleset.sets || !game.node) return;
  const values = game.guesses = shownValues();
  if (game.node !== wasNode) {
    choice.clear();
    said.problem = said["hint-words"] = "";
    view.ofTask = [];
    wasNode = game.node;
  }
  view.show();
  hands.show();
  state.show();
  for (const [id, text] of Object.entries(said)) {
    const isNew = text !== "" && $(id).textContent !== text;
    say($(id), text);
    // Where words and panels scroll together, the words may be out of sight.
    if (isNew) $(id).scrollIntoView({ block: "nearest" });
  }
  controls.show();
  showMoves(game, values);
  explorer.show({ candidates: choice.candidates, active: game.handMoves, values });
  rooms.stats?.show();
  // While the values are hidden, hide the graph, too, since it shows them.
  const hasGraph = rooms.drawGraph && (values || game.ending !== null) && game.node.wholeLine.filter(node => worth(node)).length > 1;
  $("graph").style.setProperty("display", hasGraph ? "block" : "none");
  if (hasGraph) rooms.drawGraph($("graph"), game);
  setup.show();
  store(values);
}

/* Stores the game, and puts it into the address. */
function store(values) {
  const address = writeAddress(game.node, {
    rules: ruleset.name, startPosition: ruleset.isFromStart(), ownRules: ruleset.own, values,
  });
  try {
    if (address !== location.hash.slice(1)) history.replaceState(null, "", address ? `#${address}` : location.pathname);
  } catch {
    // Browsers refuse too many addresses in a few seconds; the next one has this game, too.
  }
  saveGame({
    rules: ruleset.name, tree: game.root.pack(), at: game.node.moves, players: game.players, level: game.level,
    seed: game.seed, mode: game.mode, address: location.hash.slice(1), clock: clock.state, home: home.isOpen,
    task: giver()?.active ? giver().state : null,
  });
}

function showValues(shown) {
  $("values").checked = settings.values = shown;
  saveSettings();
}

function showBoard() {
  board.focusAnywhere();
  $("board").scrollIntoView({ block: "nearest" });
}

/* Shows the table with one of its panels. */
function openPanel(name) {
  if (home.isOpen) lookAround();
  home.show(false);
  showPanel(name);
  render();
}

function goHome() {
  $("start-continue").hidden = game.root.children.length === 0;
  sayContinue();
  home.show(true);
  $("home-title").focus();
  render();
}

const sayContinue = () => say($("continue-words"), turnsWords(game.root.size));

/* Writes all words of the page in the chosen language. */
function writeWords() {
  fillIn();
  replace($("language"), ...Object.entries(LANGUAGES).map(([code, name]) => tag("option", { value: code, lang: code, selected: code === language() }, name)));
  const now = listed(game.level);
  replace($("level"), ...LEVELS.map(level =>
    tag("option", { value: level, selected: level === now }, `${opponentName(level)}, ${levelWords(level)}`)));
  home.offer(levelWords);
  replace($("legend"), ...["win", "draw", "loss"].map(wdl => tag("span", {}, icon(wdl), ` ${t(`legend.${wdl}`)}`)));
  for (const id of ["first", "previous", "next", "last"]) $(id).title = t(`nav.${id}`);
  $("board").setAttribute("aria-roledescription", t("board.role"));
  if (ruleset.sets) offerRules();
  if (game.node) sayContinue();
  if (offline) sayOffline(offline);
  lines.draw();
  sayRooms();
}

function offerRules() {
  const now = home.isOpen && $("start-rules").value || (game.node ? ruleset.name : ruleset.own);
  replace($("start-rules"), ...ruleset.names.map(name => tag("option", { value: name, selected: name === now }, t(`rules.${name}`))));
}

function sayRooms() {
  rooms.train?.showTally();
  rooms.puzzle?.showTally();
  rooms.lesson?.showList();
  rooms.gallery?.show();
}

async function speakIn(chosen) {
  try {
    await speak(chosen);
  } catch (error) {
    $("language").value = language();
    game.trouble(error);
    return;
  }
  settings.language = language();
  saveSettings();
  // What was said before stays in no other language.
  for (const id in said) said[id] = "";
  for (const element of document.querySelectorAll(".problem, #review-words, #copied")) say(element, "");
  writeWords();
  setup.nameChoices();
  setup.showEarlier();
  if (editor.active) editor.check();
  meetRules();
  sayTask();
  render();
}

/* Beginning and opening games. */

/* Begins a game; the game before it is stored. */
function begin({ values, ...how }) {
  if (game.node) keep(game.root, ruleset.name, game.mode);
  if (values !== undefined) showValues(values);
  home.show(false);
  clock.resume(how.clock);
  editor.active = false;
  $("editor").hidden = true;
  said.problem = said.task = "";
  controls.commented = null;
  say($("review-words"), "");
  const changed = how.rules !== game.rules;
  const started = game.begin(how);
  if (changed) meetRules();
  return started;
}

/* Begins a task, on the board and without values, which would give a solution away. */
function beginTask(how) {
  begin({ ...how, rules: ruleset.asked(how.rules), values: false });
  showBoard();
}

/* Begins a game from the empty board. */
function beginNew(name, how) {
  settings.flipped = how.players.white === "machine" && how.players.black === "hand";
  begin({ ...how, rules: ruleset.asked(name), root: fresh(ruleset.start(name)), values: how.mode === "analyse" });
  if (how.mode === "play") clock.set(settings.clock);
}

function start(white, black, mode) {
  if (home.isOpen) lookAround();
  beginNew($("start-rules").value, { players: { white, black }, mode, level: settings.level });
  openPanel(mode === "analyse" ? "turns" : "game");
  board.focusAnywhere();
}

/* The same game with sides changed. */
function rematch() {
  const { white, black } = game.players;
  beginNew(ruleset.name, { players: { white: black, black: white }, level: game.level, mode: "play" });
  render();
  board.focusAnywhere();
}

/* Opens the game shown for both sides, with its values. */
function analyse() {
  showValues(true);
  said.task = "";
  game.begin({ rules: game.rules, root: game.root, node: game.node });
}

async function review() {
  showPanel("game");
  showValues(true);
  await enterRooms();
  return rooms.coach.review();
}

/* Adds a game that is not a task to the earlier ones. */
function keep(root, rules, mode) {
  if (!TASKS.includes(mode)) setup.keep(root, rules);
}

function stopEditing(position) {
  $("edit").hidden = false;
  $("edit").focus();
  $("editor").hidden = true;
  if (position !== null) setup.load("edit-problem", () => setup.openPosition(position));
  render();
}

async function openAddress({ text, place, ...address }) {
  if (home.isOpen) openPanel("game");
  said.problem = await sentence(() => text ? setup.openText(text, place) : setup.open(address));
  render();
}

async function openFirst(rulesKnown) {
  const saved = loadGame();
  const address = readAddress(location.hash);
  if (!saved && !address) home.show(true);
  ruleset.sets = await rulesKnown;
  offerRules();
  if (saved && ruleset.known(saved.rules)) {
    const root = Node.unpack(saved.tree);
    if (!address || saved.address === location.hash.slice(1)) {
      await openSaved(saved, root);
      if (saved.home) goHome();
      return;
    }
    keep(root, saved.rules, saved.mode);
  } else if (saved) {
    keep(Node.unpack(saved.tree), saved.rules, saved.mode);
  }
  begin({ rules: null, root: fresh(ruleset.start()) });
  if (address) await openAddress(address);
  else home.show(true);
  render();
}

/* Goes on with a stored game, and with its task. */
async function openSaved(saved, root) {
  let node = root;
  for (const turn of saved.at) node = node.children.find(child => child.turn === turn) ?? node;
  if (saved.task) await enterRooms().catch(() => {});
  const room = saved.task && rooms[saved.mode];
  await room?.resume(saved.task).catch(() => {});
  const replies = room?.task && room.reply ? at => room.reply(at) : null;
  // Without its room, the task is a game to analyse.
  const alone = TASKS.includes(saved.mode) && !room?.task && { mode: "analyse", players: undefined };
  begin({ ...saved, ...alone, rules: ruleset.asked(saved.rules), root, node, replies });
  game.paused = Boolean(game.isTask && room?.task?.done);
  sayTask();
}

/* Says the task of the game, and the question of its review. */
function sayTask() {
  if (giver()?.active) giver().tell();
  rooms.coach?.retell();
}

/* Rules and databases. */

/* Updates all that depends on the rules: databases, practice, the rules in brief. */
function meetRules() {
  if (!home.isOpen) lookAround();
  survey().catch(error => game.trouble(error));
  replace($("rules-text"), ...ruleset.sentences.map(text => tag("li", {}, text)));
}

/* Asks what only the table shows: databases to build or to keep, and endgames to practise. */
function lookAround() {
  (rooms.builder ?? rooms.keeper)?.look().catch(error => game.trouble(error));
  rooms.train?.offer().catch(error => game.trouble(error));
}

/* Finds out which databases are present for the rules. */
async function survey() {
  const { rules } = game;
  const { databases, placing } = await backend.databases(rules);
  if (rules !== game.rules) return;
  const now = (placing.length > 0 || ruleset.pairsHaveHands) && databases.every(({ present }) => present);
  if (now === isComplete) return;
  isComplete = now;
  writeWords();
  render();
}

/* Called when other databases are here. */
function come() {
  backend.forget();
  game.forgetUnknown();
  rooms.stats.forget();
  for (const asked of [rooms.train.offer(), survey()]) asked.catch(error => game.trouble(error));
}

/* Turns. */

/* Handles a press on a point. */
function choose(name) {
  if (editor.active) { editor.choose(name); return; }
  if (!game.node.game) return;
  const { turn, why = "" } = choice.take(name);
  said.problem = why;
  if (turn) { play(turn); return; }
  if (!why && choice.to && choice.removed.length === 0) rooms.sounds?.hear("mill");
  render();
}

/* A stone that is dragged is chosen, and put back unless it is dropped where it can go. */
function lifted(name) {
  said.problem = "";
  choice.clear(name);
  render();
}

function drop(name) {
  if (name) choose(name);
  if (choice.to) return;
  choice.clear();
  render();
}

function play(turn) {
  said.problem = "";
  game.play(rooms.puzzle?.instead(turn) ?? turn);
}

/* Input. */

function listen() {
  game.addEventListener("change", render);
  game.addEventListener("turn", ({ detail: { turn, before } }) => {
    const mills = turn.removed.length > 0 ? millsThrough(turn.to, stonesOf(turn.position), board.lines) : [];
    board.animate(turn, before.side, mills);
    rooms.sounds?.hearTurn(turn, before.side);
  });
  game.addEventListener("trouble", ({ detail }) => {
    console.error(detail);
    said.problem = troubleWords(detail);
    render();
  });
  controls.listen();
  listenToTabs(name => {
    if (name === "setup") setup.showEarlier();
    else if (editor.active) editor.end();
  });
  listenToSteps({ game, isOn: () => !editor.active, isElsewhere: () => home.isOpen });
  // The page may have written the address of the game shown since then.
  addEventListener("hashchange", ({ newURL }) => {
    const address = readAddress(new URL(newURL).hash);
    if (address && ruleset.sets) openAddress(address);
  });
}

paint();
if (onHost) show($("notices").parentElement, false);
const rulesKnown = backend.rules();
// The first position is asked for while the words arrive.
if (!loadGame()) rulesKnown.then(({ own }) => backend.step(null, emptyBoard(own), [])).catch(() => {});
await speak(settings.language);
hasWords = true;
listen();
writeWords();
opened = openFirst(rulesKnown);
opened.catch(error => {
  sayOffline(() => troubleWords(error));
  if (!game.node) home.show(true);
});
try {
  await opened;
} finally {
  hasOpened = true;
}
await enterRooms().catch(error => game.trouble(error));
meetRules();
// From now on the page opens without a network, too.
navigator.serviceWorker?.register("sw.js").catch(() => {});
