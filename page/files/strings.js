/* The words of the page, of which `languages` has a file for each language. Words in braces are filled in, numbers as the language
   writes them. A sentence that depends on a number has a form for each plural of the language, chosen by `count`. */

import { readJson } from "./json.js";

/* The languages by their own names. */
export const LANGUAGES = {
  af: "Afrikaans", cs: "Čeština", de: "Deutsch", en: "English", es: "Español",
  fr: "Français", hu: "Magyar", it: "Italiano", nl: "Nederlands", pl: "Polski",
  pt: "Português", ru: "Русский", tr: "Türkçe", zh: "中文",
};

let words = {};
let plurals, numbers;
let spoken = "en";
/* The language that was asked for last. */
let asked = null;

/* The language of the words. */
export const language = () => spoken;

/* Loads the chosen language, else the first of the browser's that the page has. */
export async function speak(wanted) {
  const known = [wanted, ...navigator.languages].map(name => name?.slice(0, 2)).find(name => name in LANGUAGES) ?? "en";
  asked = known;
  const read = await readJson(`languages/${known}.json`);
  if (asked !== known) return;
  words = read;
  spoken = known;
  plurals = new Intl.PluralRules(spoken);
  numbers = new Intl.NumberFormat(spoken);
  document.documentElement.lang = spoken;
}

export function t(key, values = {}) {
  const known = words[key];
  const text = typeof known === "string" ? known : known[plurals.select(values.count)] ?? known.other;
  return text.replace(/\{(\w+)\}/g, (_, name) => typeof values[name] === "number" ? numberWords(values[name]) : values[name]);
}

export const numberWords = (number, how) => (how ? new Intl.NumberFormat(spoken, how) : numbers).format(number);

/* Fills in the words that the HTML asks for with `data-t` and `data-label`. */
export function fillIn(root = document) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-label]")) element.setAttribute("aria-label", t(element.dataset.label));
}

/* The sentence for a failure of the server: by its reason, else by its code. */
export function problemWords({ code, reason, fields, message }) {
  const key = [reason, code].map(name => `problem.${name}`).find(name => name in words);
  return key ? t(key, { ...named(fields), message }) : `${capital(message)}.`;
}

/* The sentence for any error: that of its failure, or that there is no answer. */
export const troubleWords = error => error.code ? problemWords(error) : t("trouble");

/* The fields of a reason, with the side in the words of the page. */
const named = fields => ["white", "black"].includes(fields?.side) ? { ...fields, side: t(fields.side) } : fields;

/* The reasons why a turn is not legal that the board names otherwise. */
const WHY = {
  stones_in_hand: "placing", their_stone: "theirs", own_stone: "own", nothing_there: "none", in_mill: "mill",
};

/* The sentence for a remark about a game: by its reason, else by the text that it is about. */
export function remarkWords({ line, column, rules, reason, fields, message }) {
  const why = fields.why && t(`why.${WHY[fields.why] ?? fields.why}`, named(fields));
  const key = [reason, "text" in fields && "text"].map(name => `remark.${name}`).find(name => name in words);
  const sentence = key ? t(key, { ...named(fields), why }) : problemWords({ reason, fields, message });
  const hint = rules ? ` ${t("remark.rules", { rules: t(`rules.${rules}`) })}` : "";
  return t("setup.remark", { line, column, message: sentence + hint });
}

/* The sentence that an action returns, or that of its refusal. */
export async function sentence(act) {
  try {
    return await act() ?? "";
  } catch (error) {
    if (!error.code) throw error;
    return problemWords(error);
  }
}

export const capital = text => text[0].toUpperCase() + text.slice(1);
export const turnsWords = count => t("turns", { count });
/* The key of the words about a win or loss, where its depth may be unknown. */
export const keyOf = (key, dtw) => dtw == null ? `${key}.wdl` : key;
export function valueWords({ wdl, dtw, by_repetition }) {
  if (wdl === "draw") return t(by_repetition ? "value.repetition" : "value.draw");
  return t(keyOf(`value.${wdl}`, dtw), { dtw });
}
export const colon = (what, words) => t("colon", { what, words });

/* Sizes and times, rounded for reading, with the units of the language. */
export function bytesWords(bytes) {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  let unit = 0;
  for (; bytes >= 1000 && unit < units.length - 1; unit++) bytes /= 1000;
  return measureWords(bytes, units[unit], { maximumFractionDigits: bytes < 10 && unit > 0 ? 1 : 0 });
}

export function timeWords(seconds) {
  const minutes = Math.round(seconds / 60);
  if (seconds < 60) return measureWords(Math.max(1, Math.round(seconds)), "second");
  const rest = measureWords(minutes % 60, "minute");
  return minutes < 60 ? rest : `${measureWords(Math.floor(minutes / 60), "hour")} ${rest}`;
}

const measureWords = (number, unit, how) => numberWords(number, { style: "unit", unit, ...how });
