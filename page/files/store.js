/* The browser's storage of the current game, earlier games, settings, and the tally of practice. Each tab
   has its own current game; a new tab goes on with the last one. Without storage, as in a private window,
   everything else works. */

import { unrated } from "./rating.js";

const KEY = "millbase";
const MOST_GAMES = 12;

function read(name, fallback, storage = "localStorage") {
  try {
    return JSON.parse(window[storage].getItem(`${KEY}.${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(name, value, storage = "localStorage") {
  try {
    window[storage].setItem(`${KEY}.${name}`, JSON.stringify(value));
  } catch {
    // The storage is full or forbidden.
  }
}

export const loadGame = () => read("game", null, "sessionStorage") ?? read("game", null);
export function saveGame(game) {
  write("game", game, "sessionStorage");
  write("game", game);
}

export const settings = {
  values: false, threats: false, sound: false, coordinates: true, flipped: false, language: null, level: 9, clock: "",
  theme: "wood", scheme: "system", notice: true, ...read("settings", {}),
};
export const saveSettings = () => write("settings", settings);

export const tally = { solved: 0, failed: 0, streak: 0, ...read("tally", {}) };
export const saveTally = () => write("tally", tally);

/* The boards of the puzzles that were solved without help, how many puzzles failed, how many were solved in a row, now and at
   best, the days of the daily puzzles that were solved, and the ratings of the player and of the puzzles met. */
export const puzzleTally = {
  solved: [], failed: 0, streak: 0, longest: 0, days: [], player: { ...unrated(950), deviation: 200 }, puzzles: {}, ...read("puzzles", {}),
};
export const savePuzzleTally = () => write("puzzles", puzzleTally);

/* The names of the lessons that were learnt. */
export const learnt = read("lessons", []);
export const saveLearnt = () => write("lessons", learnt);

/* What another tab stores counts here, too; each tab writes the whole. */
const shared = { tally, puzzles: puzzleTally, lessons: learnt };
addEventListener("storage", ({ key }) => {
  const name = key?.slice(KEY.length + 1);
  if (name in shared) Object.assign(shared[name], read(name, {}));
});

export const earlierGames = () => read("earlier", []);

/* Stores a game that another one replaces, and drops the oldest. */
export function keepGame(text, turns) {
  const others = earlierGames().filter(game => game.text !== text);
  write("earlier", [{ text, turns, date: new Date().toISOString() }, ...others].slice(0, MOST_GAMES));
}
