/* Games as text: writes games that the backend and other programs can read, and makes addresses. */

/* The text of a game with its tags, comments, variations and result. */
export function writeGame(root, { rules, startPosition }) {
  const tags = [...root.tags];
  // The server's own rules may have no name.
  if (rules !== "own") tags.push({ name: "Rules", value: rules });
  if (!startPosition) tags.push({ name: "FEN", value: root.position });
  if (root.result) tags.push({ name: "Result", value: root.result });
  const headers = tags.map(({ name, value }) => `[${name} "${value.replace(/[\\"]/g, "\\$&")}"]`);
  const words = [...writeComment(root.comment), ...told(root, true, PLAIN)];
  if (root.result) words.push(root.result);
  return `${headers.join("\n")}\n\n${wrap(words)}\n`;
}

/* A comment; only one up to the end of the line can have a brace. */
function writeComment(comment) {
  if (!comment) return [];
  return [comment.includes("}") ? `; ${comment.replace(/\s+/g, " ")}\n` : `{${comment}}`];
}

const PLAIN = {
  comment: writeComment,
  turn: writeTurn,
  variation: ([first, ...words]) => [`(${first}`, ...words].map((word, place, { length }) => place === length - 1 ? `${word})` : word),
};

/* The turns after a node in the order in which they are written: each other child is a variation after the first. `write` makes
   the parts of a comment, of a turn and of a variation. */
export function told(node, isNew, write) {
  const parts = [];
  for (let fresh = isNew; node.children.length > 0; node = node.children[0]) {
    const [main, ...others] = node.children;
    parts.push(...write.turn(main, fresh), ...write.comment(main.comment));
    fresh = main.comment !== "" || others.length > 0;
    for (const one of others) {
      const begin = [...write.comment(one.before), ...write.turn(one, true), ...write.comment(one.comment)];
      parts.push(...write.variation([...begin, ...told(one, one.comment !== "", write)]));
    }
  }
  return parts;
}

function writeTurn(node, fresh) {
  const number = node.parent.side === "white" ? [`${numberOf(node)}.`] : fresh ? [`${numberOf(node)}...`] : [];
  const [mark, ...marks] = node.marks.split(" ");
  return [...number, ...(mark.startsWith("$") ? [node.turn, mark] : [node.turn + mark]), ...marks];
}

/* The number of a turn: the n-th turn of each side has the number n. */
export function numberOf(node) {
  const offset = node.root.side === "black" ? 1 : 0;
  return Math.floor((node.ply - 1 + offset) / 2) + 1;
}

function wrap(words) {
  const lines = [""];
  for (const word of words) {
    const last = lines.at(-1);
    if (last && (last.length + word.length >= 79 || last.includes("\n"))) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.join("\n").replace(/\n+/g, "\n");
}

/* Whether a game is only a line of turns, without tags, comments and variations. */
const isPlain = ({ root }) => root.tags.length === 0 && root.result === null
  && root.all.every(({ children, comment, marks }) => children.length < 2 && !comment && !marks);

/* The part of an address after #, for a game and the node shown: the turns, or the whole text where there is more. */
export function writeAddress(node, { rules, startPosition, ownRules, values }) {
  const fields = new URLSearchParams();
  const { all, line } = node.root;
  if (isPlain(node)) {
    if (rules !== ownRules) fields.set("rules", rules);
    if (!startPosition) fields.set("fen", node.root.position.replace(/( -1){4} 0 0 1$/, ""));
    if (all.length > 1) fields.set("moves", all.slice(1).map(({ turn }) => turn).join(" "));
  } else {
    fields.set("game", writeGame(node.root, { rules, startPosition }));
  }
  if (node !== line.at(-1)) fields.set("at", all.indexOf(node));
  if (values && fields.size > 0) fields.set("values", 1);
  return fields.toString();
}

export function readAddress(hash) {
  const fields = new URLSearchParams(hash.replace(/^#/, ""));
  if (!["rules", "fen", "moves", "game"].some(key => fields.has(key))) return null;
  const place = { at: fields.has("at") ? Number(fields.get("at")) : null, values: fields.has("values") };
  const turns = (fields.get("moves") ?? "").split(/\s+/).filter(Boolean);
  return {
    rules: fields.get("rules")?.toLowerCase() ?? null,
    position: fields.get("fen") || null,
    line: { comment: "", turns: turns.map(turn => ({ turn, marks: "", comment: "", variations: [] })) },
    text: fields.get("game"),
    ...place,
    place,
  };
}
