/* The browser keeps the game under way, earlier games, settings, and the tally of practice.
   Where it keeps nothing, as in a private window, everything works without. */

const KEY = "millbase";
const MOST_GAMES = 12;

function read(name, fallback) {
  try {
    return JSON.parse(localStorage.getItem(`${KEY}.${name}`)) ?? fallback;
  } catch {
    return fallback;
  }
}

function write(name, value) {
  try {
    localStorage.setItem(`${KEY}.${name}`, JSON.stringify(value));
  } catch {
    // There is no room, or keeping is forbidden.
  }
}

export const loadGame = () => read("game", null);
export const saveGame = game => write("game", game);

export const settings = {
  values: false, sound: false, coordinates: true, flipped: false, language: null, level: 10,
  notice: true, ...read("settings", {}),
};
export const saveSettings = () => write("settings", settings);

export const tally = { solved: 0, failed: 0, streak: 0, ...read("tally", {}) };
export const saveTally = () => write("tally", tally);

/* The boards of the puzzles that were solved without help, and how many puzzles failed. */
export const puzzleTally = { solved: [], failed: 0, ...read("puzzles", {}) };
export const savePuzzleTally = () => write("puzzles", puzzleTally);

export const earlierGames = () => read("earlier", []);

/* Keeps a game that another one takes the place of; the oldest goes. */
export function keepGame(text, turns) {
  const others = earlierGames().filter(game => game.text !== text);
  write("earlier", [{ text, turns, date: new Date().toISOString() }, ...others].slice(0, MOST_GAMES));
}
