/* The statistics of all positions with as many stones as the one shown: the shares of the results, and a picture of the depths. */

import { $, say, svg } from "./dom.js";
import { counts } from "./hands.js";
import { language, numberWords, t } from "./strings.js";

const [WIDTH, HEIGHT] = [320, 96];

export class Stats {
  constructor(game, ruleset) {
    /* By rules and pair: the tables of both sides to move, or none where they are unknown. */
    Object.assign(this, { game, ruleset, known: new Map(), shown: null });
    $("stats").addEventListener("toggle", () => this.show());
  }

  /* Shows the statistics for the position of the game, once they are opened, where a table has its stones. */
  show() {
    const { game, ruleset } = this;
    const { white, black } = counts(game.node.position);
    const [mover, other] = game.side === "white" ? [white, black] : [black, white];
    const isPlacing = mover.hand + other.hand > 0;
    const hasTable = Math.min(mover.on + mover.hand, other.on + other.hand) >= 3 && (!isPlacing || ruleset.pairsHaveHands);
    $("stats").hidden = !hasTable;
    if (!hasTable) return;
    const words = ({ on, hand }) => isPlacing ? `${on}+${hand}` : on;
    say($("stats-title"), t("stats", { mover: words(mover), other: words(other) }));
    if (!$("stats").open) return;
    const [larger, smaller] = [mover, other].sort((one, two) => two.on - one.on || two.hand - one.hand);
    const pair = `${larger.on}-${smaller.on}${isPlacing ? `+${larger.hand}-${smaller.hand}` : ""}`;
    const key = `${game.rules} ${pair}`;
    if (!this.known.has(key)) this.ask(key, pair);
    const isOf = ({ to_move, other: waiting, in_hand: [hand, waitingHand] = [0, 0] }) =>
      to_move === mover.on && waiting === other.on && hand === mover.hand && waitingHand === other.hand;
    const table = this.known.get(key)?.find(isOf);
    say($("stats-words"), table ? shares(table) : this.known.get(key) ? t("value.unknown") : t("value.asked"));
    const depth = game.node.answer?.value?.dtw;
    $("stats-picture").style.setProperty("display", table ? "block" : "none");
    const shown = `${key} ${words(mover)} ${depth} ${table !== undefined} ${language()}`;
    if (table && shown !== this.shown) draw($("stats-picture"), table, depth == null ? null : game.node.answer.value);
    this.shown = shown;
  }

  /* Asks anew, after databases were added. */
  forget() {
    this.known.clear();
    this.show();
  }

  async ask(key, pair) {
    const { game } = this;
    this.known.set(key, undefined);
    try {
      this.known.set(key, (await game.backend.stats(game.rules, pair)).tables);
    } catch (error) {
      if (!error.isUnknown) game.trouble(error);
      this.known.set(key, []);
    }
    this.show();
  }
}

function shares({ wins, draws, losses, positions, max_win: win, max_loss: loss }) {
  const share = count => numberWords(count / positions, { style: "percent", maximumSignificantDigits: 3 });
  const words = { positions: numberWords(positions), win: share(wins), draw: share(draws), loss: share(losses) };
  const hasDepths = (win ?? loss) != null;
  return [t("stats.shares", words), hasDepths && t("stats.deepest", { win: win ?? 0, loss: loss ?? 0 })].filter(Boolean).join(" ");
}

/* The bar of the shares, and below it a column for each depth: wins upwards, losses downwards, by the logarithm of their number. */
function draw(element, { wins, draws, losses, positions, histogram }, now) {
  const decided = histogram.filter(({ dtw }) => dtw !== null);
  const deepest = Math.max(1, ...decided.map(({ dtw }) => dtw));
  const most = Math.log(1 + Math.max(1, ...decided.map(({ positions }) => positions)));
  const [top, middle] = [16, 56];
  const x = dtw => dtw / (deepest + 1) * WIDTH;
  const column = ({ wdl, dtw, positions }) => {
    const height = Math.log(1 + positions) / most * (HEIGHT - middle);
    const isNow = now?.wdl === wdl && now.dtw === dtw;
    return svg("rect", {
      class: `${wdl === "win" ? "good" : "bad"}${isNow ? " now" : ""}`, x: x(dtw), width: Math.max(1, WIDTH / (deepest + 1) - .4),
      y: wdl === "win" ? middle - height : middle, height,
    });
  };
  let from = 0;
  const share = (count, kind) => {
    const width = count / positions * WIDTH;
    from += width;
    return svg("rect", { class: kind, x: from - width, y: 0, width, height: top - 6 });
  };
  element.setAttribute("viewBox", `0 0 ${WIDTH} ${HEIGHT}`);
  element.setAttribute("aria-label", t("stats.depths"));
  element.replaceChildren(
    share(wins, "good"), share(draws, "even"), share(losses, "bad"),
    svg("path", { class: "graph-middle", d: `M0 ${middle}H${WIDTH}` }), ...decided.map(column));
}
