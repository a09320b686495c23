/* The turns of the position shown: value, replies that hold, grouped by symmetry, and the best line. */

import { icon, replace, tag } from "./dom.js";
import { follow } from "./lines.js";
import { t, valueWords } from "./strings.js";

const LINE_LENGTH = 12; // turns of the best line

/* The share of the replies that lose something, from 0 to 1: how hard the reply to a turn is. */
export const hardness = ({ value, replies, holding }) =>
  value?.wdl === "win" ? 1 : replies > 0 ? 1 - holding / replies : 0;

/* Of draws, the one that is hardest to hold comes first; all else stays in its order. */
const harder = (one, two) =>
  one.value?.wdl === "draw" && two.value?.wdl === "draw" ? hardness(two) - hardness(one) : 0;

/* Shows a turn while the pointer or the focus is on its button. */
const whilePointed = (preview, turn) => {
  const [begin, end] = [() => preview(turn), () => preview(null)];
  return { pointerenter: begin, pointerleave: end, focus: begin, blur: end };
};

export class Explorer {
  /* `list` and `line` are the elements to fill; `choose` makes a turn, `preview` shows one, `look` shows a position. */
  constructor({ list, line, game, choose, preview, look }) {
    Object.assign(this, { list, line, game, choose, preview, look });
    this.node = null;
    this.best = null;
  }

  /* Shows the turns that begin with the points chosen on the board. */
  show({ candidates, active, values }) {
    const { game } = this;
    if (this.node !== game.node || this.answer !== game.node.answer) {
      this.node = game.node;
      this.answer = game.node.answer;
      this.best = this.answer?.value?.wdl === "draw" ? null : this.answer?.line ?? null;
      this.asked = null;
      this.preview(null);
      this.look(null);
    }
    if (values && !this.best && this.answer?.value && !game.ending) this.learn();
    const groups = new Map();
    const turns = [...candidates].sort(values ? harder : (a, b) => a.text < b.text ? -1 : 1);
    for (const turn of turns) {
      // Of turns that are alike, one may repeat a position.
      const key = values && turn.value ? `${turn.class} ${turn.value.by_repetition}` : turn.text;
      if (!groups.has(key)) groups.set(key, { turns: [], replies: turn.replies, holding: turn.holding, value: turn.value });
      groups.get(key).turns.push(turn);
    }
    const rows = [...groups.values()].map(group => this.row(group, active, values));
    // Only a list with rows can be scrolled, and the question lays out the whole page.
    const scroll = this.list.firstChild && this.list.scrollTop;
    replace(this.list, ...rows);
    if (scroll) this.list.scrollTop = scroll;
    this.showLine(values);
  }

  /* The best turn of a node, as soon as its line is known. */
  bestOf(node) {
    return this.node === node ? this.best?.[0] ?? null : null;
  }

  row({ turns, replies, holding, value }, active, values) {
    const buttons = turns.map(turn => tag("button", {
      type: "button", class: "turn", "data-key": turn.text, "aria-disabled": String(!active),
      "aria-label": values && value ? `${turn.text}, ${valueWords(value)}` : turn.text,
      click: () => active && this.choose(turn), ...whilePointed(this.preview, turn),
    }, turn.text));
    const worth = values && value
      ? tag("span", { class: "worth" }, icon(value.wdl), valueWords(value)) : null;
    const holds = values && replies != null && replies > 0
      ? tag("span", { class: "holds", title: t("explorer.holds", { holding, replies }) }, `${holding}/${replies}`,
        tag("span", { class: "unseen" }, t("explorer.holds", { holding, replies }))) : null;
    return tag("li", {}, tag("span", { class: "same" }, ...buttons), worth, holds);
  }

  showLine(values) {
    const line = values ? this.best : null;
    this.line.hidden = !line || line.length === 0;
    if (this.line.hidden) return;
    const steps = line.map((turn, place) => tag("button", {
      type: "button", "data-key": `line ${place}`,
      click: () => this.game.goTo(follow(this.game.node, line.slice(0, place + 1))), ...whilePointed(this.look, turn),
    }, turn.text));
    replace(this.line, tag("b", {}, t("explorer.best")), " ", ...steps.flatMap(step => [step, " "]));
  }

  /* Asks once for the line that the step left out, or for that of the perfect player, who knows which draws are hard to hold. */
  async learn() {
    const { game, node, answer } = this;
    const { wdl, dtw } = answer.value;
    // Without depths, no line to a win is best.
    if (this.asked || wdl !== "draw" && dtw === null) return;
    this.asked = node;
    try {
      const line = wdl === "draw" ? await game.perfectLine(node)
        : await game.bestLine(node, LINE_LENGTH);
      if (this.node !== node) return;
      this.best = line;
      game.changed();
    } catch (error) {
      if (!error.isUnknown) game.trouble(error);
    }
  }
}
