/* The players at the board: face, name and level, stones in hand, stones lost, and the clock. */

import { $, replace, tag } from "./dom.js";
import { face, opponentName, person } from "./opponents.js";
import { settings } from "./store.js";
import { t } from "./strings.js";
import { other } from "./tree.js";

/* The stones of each side on the board and in hand, from a position's text. */
export function counts(position) {
  const [white, whiteHand, black, blackHand] = position.split(" ").slice(4, 8).map(Number);
  return { white: { on: white, hand: whiteHand }, black: { on: black, hand: blackHand } };
}

export class Hands {
  /* `levelWords` says how well a level plays, `lift` lets a stone in hand follow the pointer. */
  constructor({ game, choice, clock, editor, levelWords, lift }) {
    Object.assign(this, { game, choice, clock, editor, levelWords });
    for (const place of ["top", "bottom"]) $(`hand-${place}`).addEventListener("pointerdown", event => {
      if (event.target.closest(".can")) lift(event, game.side);
    });
  }

  show() {
    if (!this.game.node) return;
    const top = settings.flipped ? "white" : "black";
    this.showSide($("hand-top"), top);
    this.showSide($("hand-bottom"), other(top));
  }

  showSide(element, side) {
    const { game, choice, clock, editor } = this;
    const isPlacing = game.node.game?.phase === "placing";
    const placed = choice.to && !choice.from && side === game.side && isPlacing ? 1 : 0;
    const { on, hand } = counts(game.node.position)[side];
    // A set-up position does not say how many stones were lost before it.
    const first = counts(game.root.position)[side];
    const lost = first.on + first.hand - on - hand;
    const left = Math.max(0, hand - placed);
    const moves = !editor.active && !game.ending && side === game.side;
    const can = moves && game.handMoves && isPlacing && !choice.removes;
    const chips = (count, more = "") => Array.from({ length: count }, () => tag("span", { class: `chip ${side}${more}`, "aria-hidden": "true" }));
    const isMachine = game.players[side] === "machine";
    const name = isMachine ? opponentName(game.level) : game.machines > 0 ? t("player.hand") : t(side);
    const about = [game.machines > 0 && t(side), isMachine && this.levelWords(game.level)].filter(Boolean).join(" · ");
    element.classList.toggle("moves-now", moves);
    replace(element,
      isMachine ? face(game.level) : person(),
      tag("span", { class: "who" }, tag("b", {}, name), about && tag("small", {}, about)),
      !editor.active && tag("span", { class: "stones" }, ...chips(left, can ? " can" : ""), tag("span", {}, left > 0 ? t("hand.in", { count: left }) : t("hand.on", { count: on }))),
      lost > 0 && !editor.active && tag("span", { class: "lost" }, ...chips(lost), tag("span", { class: "unseen" }, t("hand.lost", { count: lost }))),
      clock.isOn && tag("time", { class: clock.left[side] < 20_000 && "low" }, clock.words(side)));
  }
}
