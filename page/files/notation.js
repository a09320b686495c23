/* Games as text: reads pasted games, writes games that other programs can read, and makes addresses.

   Reading gives { rules, position, line }: a line is a list of { turn, comment, variations }, the
   variations being other lines in place of the turn. This file does not check whether turns are legal. */

const BOARD = /[O@*]{8}\/[O@*]{8}\/[O@*]{8}/;
/* A position's text: after the board single letters, numbers, and fields with a colon. */
const POSITION = new RegExp(`${BOARD.source}(?:[ \\t]+(?:[a-z?](?![\\w-])|-?\\d+(?![.\\w-])|\\w+:\\S*))*`);
const HEADER = /^\s*\[(\w+)\s+"([^"]*)"\]\s*$/gm;
/* The line of a saved game that names its rules, and lines that are comments. */
const RULES = /^\s*setoption name Rules value (.*\S)\s*$/m;
const REMARK = /^\s*[#%].*$/gm;
const SKIPPED = /^(?:\d+\.*|position|startpos|fen|moves|1-0|0-1|1\/2-1\/2|½-½|\*|…|\.+|\$\d+)$/;

export function readGame(text) {
  const headers = {};
  let rest = text.replace(REMARK, "").replace(HEADER, (_, key, value) => { headers[key.toLowerCase()] = value; return ""; });
  rest = rest.replace(RULES, (_, name) => { headers.rules = name; return ""; });
  let position = headers.fen ?? headers.position ?? null;
  // Comments may contain anything, so positions are searched for outside them.
  const found = POSITION.exec(rest.replace(/\{[^}]*\}/g, all => " ".repeat(all.length)));
  if (found) {
    // Fields with a colon belong to other programs.
    position = found[0].replace(/\s+\w+:\S*/g, "").trim();
    rest = rest.slice(0, found.index) + " " + rest.slice(found.index + found[0].length);
  }
  const tokens = [...rest.matchAll(/\{([^}]*)\}|;(.*)|([()])|([^\s(){},;]+)/g)];
  const { line } = readLine(tokens, 0);
  return { rules: headers.rules ?? null, position, line };
}

function readLine(tokens, at) {
  const line = [];
  let joins = false;
  for (; at < tokens.length; at++) {
    const [, braced, remark, bracket, word] = tokens[at];
    const comment = braced ?? remark;
    const last = line.at(-1);
    if (comment !== undefined) {
      if (last) last.comment = [last.comment, comment.trim()].filter(Boolean).join(" ");
    } else if (bracket === "(") {
      const inner = readLine(tokens, at + 1);
      at = inner.at;
      if (last && inner.line.length > 0) last.variations.push(inner.line);
    } else if (bracket === ")") {
      break;
    } else {
      for (const turn of readWord(word)) {
        if (turn === "x") { joins = true; continue; }
        const text = joins && !turn.startsWith("x") ? `x${turn}` : turn;
        joins = false;
        // A separate removal belongs to the turn before it.
        if (text.startsWith("x") && last && last.variations.length === 0) last.turn += text;
        else line.push({ turn: text, comment: "", variations: [] });
      }
    }
  }
  return { line, at };
}

/* The turns of a word, which may have a number before it and marks after it. */
function readWord(word) {
  const plain = word.toLowerCase().replace(/[–—−]/g, "-").replace(/^\d+\.+/, "").replace(/[!?+#.]+$/, "");
  if (plain === "" || SKIPPED.test(plain)) return [];
  return [plain.replace(/^([a-g]\d)([a-g]\d)/, "$1-$2")];
}

/* The text of a game with its comments and variations. */
export function writeGame(root, { rules, startPosition }) {
  const headers = [`[Rules "${rules}"]`];
  if (!startPosition) headers.push(`[FEN "${root.position}"]`);
  const words = [];
  writeFrom(root, words, true);
  return `${headers.join("\n")}\n\n${wrap(words)}\n`;
}

/* The turns after a node; each other child stands in brackets after the first. */
function writeFrom(node, words, isNew) {
  for (let fresh = isNew; node.children.length > 0; node = node.children[0]) {
    const [main, ...others] = node.children;
    writeTurn(main, words, fresh);
    fresh = main.comment !== "" || others.length > 0;
    for (const variation of others) {
      const inner = [];
      writeTurn(variation, inner, true);
      writeFrom(variation, inner, variation.comment !== "");
      inner[0] = `(${inner[0]}`;
      inner[inner.length - 1] += ")";
      words.push(...inner);
    }
  }
}

function writeTurn(node, words, fresh) {
  const number = numberOf(node);
  if (node.parent.side === "white") words.push(`${number}.`);
  else if (fresh) words.push(`${number}...`);
  words.push(node.turn);
  if (node.comment) words.push(`{${node.comment.replaceAll("}", ")")}}`);
}

/* The number of a turn: each side's n-th has the number n. */
export function numberOf(node) {
  const offset = node.root.side === "black" ? 1 : 0;
  return Math.floor((node.ply - 1 + offset) / 2) + 1;
}

function wrap(words) {
  const lines = [""];
  for (const word of words) {
    const last = lines.at(-1);
    if (last && last.length + word.length >= 79) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join("\n");
}

/* The part of an address after #, for the line through a node. */
export function writeAddress(node, { rules, startPosition, ownRules }) {
  const line = node.wholeLine;
  const fields = new URLSearchParams();
  if (rules !== ownRules) fields.set("rules", rules);
  if (!startPosition) fields.set("fen", node.root.position.split(" ").slice(0, 10).join(" "));
  if (line.length > 1) fields.set("moves", line.slice(1).map(({ turn }) => turn).join(" "));
  if (node.ply < line.length - 1) fields.set("at", node.ply);
  return fields.toString();
}

export function readAddress(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  if (!["rules", "fen", "moves"].some(key => fields.has(key))) return null;
  const turns = (fields.get("moves") ?? "").split(/\s+/).filter(Boolean);
  return {
    rules: fields.get("rules"),
    position: fields.get("fen") || null,
    line: turns.map(turn => ({ turn, comment: "", variations: [] })),
    at: fields.has("at") ? Number(fields.get("at")) : null,
  };
}
