/* The grades of the turns of a game, as docs/COACH.md defines them. */

import { weight } from "./game.js";
import { t, valueWords } from "./strings.js";

const ORDER = ["loss", "draw", "win"];

/* The grade of the turn that leads to a node: the half points `lost`, or how many turns it is `slower`, the values `from` and
   `to`, and whether other turns of the position have another result. Null where a value is not known. */
export function gradeOf(node) {
  const answer = node.parent?.answer;
  const made = answer?.turns.find(({ text }) => text === node.turn);
  if (!made?.value || !answer.value) return null;
  const [from, to] = [answer.value, made.value];
  const lost = ORDER.indexOf(from.wdl) - ORDER.indexOf(to.wdl);
  const slower = lost === 0 ? weight(from) - weight(to) : 0;
  const isDecision = answer.turns.some(({ value }) => value && value.wdl !== from.wdl);
  return { lost, slower, from, to, isDecision };
}

/* The grade of a node's turn if it gave a result away, else null. */
export function faultOf(node) {
  const grade = gradeOf(node);
  return grade?.lost > 0 ? grade : null;
}

/* The first fault of these nodes in words, as the sentence with this key; null if none is known. */
export function faultWords(key, nodes) {
  const fault = nodes.map(faultOf).find(found => found !== null);
  return fault ? t(key, { from: valueWords(fault.from), to: valueWords(fault.to) }) : null;
}

/* The mark of a grade; empty for a turn without fault. */
export const markOf = ({ lost, slower }) => lost > 0 ? ["?", "??"][lost - 1] : slower > 0 ? "?!" : "";

/* Whether a node has the mark of an error, from a review or from the text of the game. */
export const isMarkedError = node => ["?", "??"].includes(node.marks.split(" ")[0]);

/* Puts the mark of its grade on a node; other marks stay. */
export function mark(node) {
  const grade = gradeOf(node);
  const [first, ...rest] = node.marks.split(" ");
  const own = grade && markOf(grade);
  if (own) node.marks = [own, ...first.startsWith("$") ? [first] : [], ...rest].join(" ").trim();
}

/* Of the turns of a side: how many are graded, errors, slower, and the accuracy, null without decisions. */
export function tallyOf(line, side) {
  const grades = line.filter(({ parent }) => parent?.side === side).map(gradeOf).filter(Boolean);
  const decisions = grades.filter(({ isDecision }) => isDecision).length;
  const errors = grades.filter(({ lost }) => lost > 0).length;
  const slower = grades.filter(({ slower }) => slower > 0).length;
  return { graded: grades.length, errors, slower, accuracy: decisions > 0 ? (decisions - errors) / decisions : null };
}
