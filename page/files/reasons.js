/* Why a turn is an error, from the facts of `explain`: what it costs, what it allows, and the line that refutes it. Where no
   value is known, a search gives the line that it expects. */

import { PERFECT } from "./game.js";
import { keyOf, t, turnsWords } from "./strings.js";
import { other } from "./tree.js";

const SEARCH_TIME = 800; // ms if no database answers
const SHOWN_TURNS = 8; // turns of a refutation

/* The facts about the turn that leads to a node: { before, after, allows, refutation }, the values for the side that made the
   turn; without values only the refutation. */
export async function reasonsOf(game, node) {
  const { backend, rules } = game;
  const { parent } = node;
  try {
    const facts = await backend.explain(rules, parent.position, node.turn);
    // Only the answer knows the repetitions of the game.
    const made = parent.answer?.turns.find(({ text }) => text === node.turn)?.value ?? facts.value;
    const before = parent.answer?.value ?? facts.before;
    if (made.by_repetition) return { before, after: made, allows: [], refutation: [] };
    const refutation = facts.refutation.length > 0 ? facts.refutation : await game.bestLine(node, SHOWN_TURNS);
    return { before, after: made, allows: facts.allows, refutation: refutation.slice(0, SHOWN_TURNS) };
  } catch (error) {
    if (!error.isUnknown) throw error;
  }
  const { line } = await backend.play(rules, node.root.position, node.moves, { level: PERFECT, movetime: SEARCH_TIME });
  return { before: null, after: null, allows: [], refutation: await turnsOf(game, node, line.slice(0, SHOWN_TURNS)) };
}

/* The turns of these texts after a node, with their positions. */
export async function turnsOf(game, node, texts) {
  const { game: turns } = await game.backend.game(game.rules, node.root.position, [...node.moves, ...texts]);
  return turns.slice(node.ply);
}

/* Whether the turn gave the result away, or only took longer. */
export const isError = ({ before, after }) => before !== null && before.wdl !== after.wdl;

/* The facts in sentences. */
export function reasonWords({ before, after, allows, refutation: [reply] }, node) {
  const [mine, theirs] = [node.parent.side, other(node.parent.side)];
  const side = t(theirs);
  const words = [];
  if (after) words.push(costWords(before, after, { turn: node.turn, mine: t(mine), side }));
  if (allows.length > 0) words.push(t("error.allows", { side, points: allows.join(", ") }));
  if (reply) words.push(replyWords(reply, after, side));
  return words.filter(Boolean).join(" ");
}

function costWords(before, after, values) {
  if (before.wdl === after.wdl) {
    if (before.dtw === after.dtw) return "";
    const turns = { turns: turnsWords(after.dtw), fewer: turnsWords(before.dtw) };
    return t(after.wdl === "win" ? "error.slower" : "error.sooner", { ...values, ...turns });
  }
  const key = `error.${before.wdl}.${after.wdl}`;
  return after.wdl === "loss" ? t(keyOf(key, after.dtw), { ...values, turns: turnsWords(after.dtw - 1) }) : t(key, values);
}

function replyWords({ text, removed }, after, side) {
  if (after?.wdl === "draw") return t("error.reply.holds", { side, turn: text });
  return t(removed.length > 0 ? "error.reply.takes" : "error.reply", { side, turn: text });
}
