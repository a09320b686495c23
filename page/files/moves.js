/* The turns of the game as a text of buttons: the main line, with variations in blocks of their own. */

import { $, replace, tag } from "./dom.js";
import { faultWords, gradeOf, markOf } from "./grade.js";
import { numberOf, told } from "./notation.js";
import { capital, t, valueWords } from "./strings.js";

const ERRORS = ["?", "??", "?!"];

/* Shows the tree; with `values`, too, what the turns are worth, and the marks of errors. */
export function showMoves(game, values) {
  const list = $("game");
  const { root } = game;
  $("no-game").hidden = root.children.length > 0;
  list.hidden = root.children.length === 0;
  const write = {
    comment: text => text ? [tag("span", { class: "comment" }, ` ${text} `)] : [],
    turn: (node, isNew) => turnParts(node, isNew, game, values),
    variation: parts => [tag("span", { class: "variation" }, ...parts)],
  };
  replace(list, ...write.comment(root.comment), ...told(root, true, write));
  const current = list.querySelector("[aria-current]");
  if (!current) return;
  const [box, mark] = [list.getBoundingClientRect(), current.getBoundingClientRect()];
  if (mark.bottom > box.bottom) list.scrollTop += mark.bottom - box.bottom;
  if (mark.top < box.top) list.scrollTop -= box.top - mark.top;
}

function turnParts(node, isNew, game, values) {
  const { side } = node.parent;
  const grade = values && gradeOf(node);
  const value = values && node.parent.answer?.turns.find(({ text }) => text === node.turn)?.value;
  const words = values && (faultWords("fault", [node]) ?? (value ? valueWords(value) : null));
  // A review leaves its marks where values are not known at once.
  const sign = grade ? markOf(grade) : values && ERRORS.find(one => one === node.marks.split(" ")[0]);
  return [
    (side === "white" || isNew) && tag("span", { class: "number" }, `${numberOf(node)}.${side === "white" ? "" : ".."}`),
    tag("button", {
      type: "button", "data-key": node.key, "aria-label": [`${t(side)} ${node.turn}`, words].filter(Boolean).join(", "),
      title: words && capital(words), "aria-current": node === game.node && "step", click: () => game.goTo(node),
    }, node.turn, sign && " ", sign && tag("span", { class: "fault" }, sign)),
  ];
}
