/* The state of the game in words: the headline, the value of the position, and the result. */

import { $, say, show, tag } from "./dom.js";
import { worth } from "./game.js";
import { faultWords } from "./grade.js";
import { opponentName } from "./opponents.js";
import { colon, keyOf, language, t, turnsWords, valueWords } from "./strings.js";
import { other } from "./tree.js";

export class State {
  /* `values` says whether values are shown, `ended` is called when the end of a game is shown. */
  constructor({ game, choice, editor, ruleset, values, ended }) {
    Object.assign(this, { game, choice, editor, ruleset, values, ended });
  }

  show() {
    this.showValue();
    this.showHeadline();
    const over = this.game.ending !== null && !this.editor.active;
    show($("over"), over, $("new"));
    if (!over) return;
    this.ended();
    say($("over-result"), this.result);
    say($("over-reason"), this.reason);
    $("rematch").hidden = this.game.mode !== "play";
  }

  showValue() {
    const { game } = this;
    const { node } = game;
    const known = worth(node);
    const hidden = !this.values() && !game.ending || this.editor.active;
    let words = node.answer === undefined ? t("value.asked") : t("value.unknown");
    if (game.ending) words = this.result;
    else if (node.answer?.value) words = sideWords(node.side, node.answer.value) + this.limit(node);
    else if (known) words = guessWords(node.estimate);
    if (hidden) words = t("value.hidden");
    const meter = $("meter");
    meter.classList.toggle("unknown", hidden || !known);
    meter.classList.toggle("guess", !hidden && known?.known === false);
    const share = hidden || !known ? 0 : known.amount;
    $("share").style.setProperty("width", `${50 + 50 * share}%`);
    meter.setAttribute("aria-valuenow", share.toFixed(2));
    meter.setAttribute("aria-valuetext", words);
    say($("value"), hidden || game.ending ? "" : words);
  }

  /* The warning where the count of quiet turns may end the game before the value does. */
  limit({ game: standing, answer, position }) {
    const count = this.ruleset.quietLimitAt(position);
    const { dtw } = answer.value;
    return count > 0 && dtw !== null && standing && standing.quiet_turns + dtw > count ? t("value.unless", { count }) : "";
  }

  /* The headline says what is to be done, the sentence with it what was played. */
  showHeadline() {
    // Screen readers read the status aloud, so it waits until all of it is known, or known to be late.
    if (!this.game.node.game && $("offline").hidden) return;
    const [detail, headline] = this.editor.active ? ["", t("setup.edit")] : [this.detail, this.headline];
    if ($("status").textContent === `${detail} ${headline}`) return;
    $("status").replaceChildren(tag("span", {}, detail), " ", tag("span", { class: "headline" }, headline));
  }

  get detail() {
    const { game } = this;
    const { node } = game;
    const fault = this.values() && faultWords("fault", [node]);
    const played = node.turn && { side: t(node.parent.side), turn: node.turn };
    const isOn = !game.ending && node.game;
    const limit = this.ruleset.quietLimitAt(node.position);
    const isFree = isOn && !this.choice.removes && !this.choice.from && !game.machineMoves && game.turns[0]?.text !== "pass";
    return [
      played && t(fault ? "status.fault" : "status.played", { ...played, fault }),
      isOn && node.game.occurrences === 2 && t("status.occurrence"),
      isOn && limit > 0 && 10 * node.game.quiet_turns >= 7 * limit && t("status.quiet", { count: node.game.quiet_turns, limit }),
      isFree && game.paused && !game.isTask && t("status.paused"),
    ].filter(Boolean).join(" ");
  }

  get headline() {
    const { game, choice } = this;
    const { node } = game;
    if (game.ending) return "";
    const side = t(node.side);
    if (!node.game) return t("status.moving", { side });
    if (choice.removes) return t("status.mill", { side });
    if (choice.from) return t("status.from", { side, from: choice.from });
    if (game.machineMoves) return t("status.thinking", { side: opponentName(game.level) });
    if (game.turns[0]?.text === "pass") return t("status.pass", { side });
    const value = this.values() && node.answer?.value;
    const words = t(`status.${node.game.phase}`, { side });
    return t("sentence", { words: value ? colon(words, valueWords(value)) : words });
  }

  get result() {
    const { game } = this;
    const { winner } = game.ending;
    if (!winner) return t("over.draw");
    if (game.hand) return t(winner === game.hand ? "over.you" : "over.machine", { name: opponentName(game.level) });
    return t(`over.${winner}`);
  }

  get reason() {
    const { reason, winner } = this.game.ending;
    const { game: standing } = this.game.node;
    const count = reason === "quiet" ? standing.quiet_turns : standing?.occurrences;
    if (reason === "repetition" && count === 2) return t("status.occurrence");
    return t(`over.${reason}`, { side: winner ? t(other(winner)) : "", count });
  }
}

/* An estimate is named as one: the score of a search for White. */
function guessWords(estimate) {
  const side = estimate > 0 ? "white" : "black";
  const words = Math.abs(estimate) < 30 ? t("guess.even") : t(Math.abs(estimate) < 120 ? "guess.better" : "guess.winning", { side: t(side) });
  const score = (estimate / 100).toLocaleString(language(), { signDisplay: "always", minimumFractionDigits: 1, maximumFractionDigits: 1 });
  return t("value.guess", { words, score });
}

function sideWords(side, value) {
  if (value.wdl === "draw") return t("value.drawn");
  const winner = t(value.wdl === "win" ? side : other(side));
  if (value.dtw === 0) return t("value.won", { side: winner });
  return t(keyOf("value.wins", value.dtw), { side: winner, turns: turnsWords(value.dtw) });
}
