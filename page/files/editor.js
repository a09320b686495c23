/* Sets up a position: clicks on the board put and remove stones, fields hold the rest. The backend
   checks whether the position is legal. */

import { POINTS, pointWords, stonesOf } from "./board.js";
import { $, say } from "./dom.js";
import { sideOf } from "./tree.js";
import { t, troubleWords } from "./strings.js";

export class Editor {
  /* `changed` redraws the board; `stop` ends the editor, with a position to use or without one. */
  constructor({ game, changed, stop }) {
    Object.assign(this, { game, changed, active: false });
    this.checks = 0;
    for (const id of ["edit-side", "edit-white-hand", "edit-black-hand"]) $(id).addEventListener("change", () => this.check());
    for (const radio of document.getElementsByName("brush")) radio.addEventListener("change", () => this.changed());
    $("edit-clear").addEventListener("click", () => { this.stones = {}; this.hold(0, 0); this.update(); });
    $("edit-use").addEventListener("click", () => {
      this.active = false;
      stop(this.text);
    });
    $("edit-stop").addEventListener("click", () => this.end());
    this.stop = stop;
  }

  /* Ends without using the position. */
  end() {
    this.active = false;
    this.stop(null);
  }

  begin(position) {
    this.active = true;
    $("editor").hidden = false;
    this.stones = stonesOf(position);
    const [, , , , , whiteHand, , blackHand] = position.split(" ");
    // Most positions that people set up have no stones in hand.
    if (Object.keys(this.stones).length === 0) this.hold(0, 0);
    else this.hold(whiteHand ?? 0, blackHand ?? 0);
    $("edit-side").value = sideOf(position);
    this.update();
  }

  /* Fills the fields for the stones in hand. */
  hold(white, black) {
    $("edit-white-hand").value = white;
    $("edit-black-hand").value = black;
  }

  get brush() {
    return [...document.getElementsByName("brush")].find(({ checked }) => checked).value;
  }

  /* Handles a press on a point: puts the stone of the brush, or removes it. */
  choose(name) {
    const { brush } = this;
    if (brush === "none" || this.stones[name] === brush) delete this.stones[name];
    else this.stones[name] = brush;
    this.update();
  }

  update() {
    this.changed();
    this.check();
  }

  get text() {
    const letter = { white: "O", black: "@" };
    const letters = POINTS.map(({ name }) => letter[this.stones[name]] ?? "*").join("");
    const rings = letters.replace(/^(.{8})(.{8})/, "$1/$2/");
    const on = side => Object.values(this.stones).filter(held => held === side).length;
    const hand = side => Number($(`edit-${side}-hand`).value) || 0;
    const phase = hand("white") + hand("black") > 0 ? "p p" : "m s";
    return `${rings} ${$("edit-side").value[0]} ${phase} ${on("white")} ${hand("white")} ${on("black")} ${hand("black")} 0 0`;
  }

  /* Asks whether the position is legal; it can be used once the answer says so. */
  async check() {
    const number = ++this.checks;
    $("edit-use").disabled = true;
    let problem = "";
    let words = t("editor.legal");
    try {
      const answer = await this.game.backend.step(this.game.rules, this.text, []);
      if (answer.ending) words = t("editor.over");
    } catch (error) {
      problem = troubleWords(error);
    }
    if (number !== this.checks) return;
    $("edit-use").disabled = Boolean(problem);
    say($("edit-problem"), problem);
    say($("edit-state"), problem ? "" : words);
  }

  /* The board while a position is set up. */
  get view() {
    const { brush } = this;
    const points = {};
    for (const { name } of POINTS) {
      const side = this.stones[name];
      const doing = brush === "none" || side === brush ? side && t("editor.take") : t(`editor.put.${brush}`);
      points[name] = { side, open: true, label: [pointWords(name, side), doing].filter(Boolean).join(", ") };
    }
    return { points, mills: [] };
  }
}
