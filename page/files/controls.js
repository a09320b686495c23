/* The buttons and fields around the board: what they do, and which of them can be used. */

import { $, say, show } from "./dom.js";
import { listed } from "./opponents.js";
import { listenToOptions } from "./options.js";
import { saveSettings, settings } from "./store.js";
import { t } from "./strings.js";

const STEPS = { first: -Infinity, previous: -1, next: 1, last: Infinity };

export class Controls {
  /* `press` listens to a button, `said` holds what the page says, `values` says whether values are shown, `page` is what the
     page does as a whole. */
  constructor(parts) {
    Object.assign(this, parts);
    /* The node whose comment is being written. */
    this.commented = null;
  }

  show() {
    const { game, editor, hint } = this;
    const { node } = game;
    const enable = (enabled, ...ids) => ids.forEach(id => $(id).setAttribute("aria-disabled", String(!enabled)));
    enable(node.parent !== null && !editor.active, "first", "previous", "back");
    enable(!game.isLeaf && !editor.active, "next", "last");
    enable(game.handMoves && !editor.active && !game.isTask, "hint");
    enable(game.mode === "play" && game.handMoves && game.isLeaf && !editor.active && node.parent !== null, "resign", "offer");
    enable(node.parent !== null, "remove");
    enable(node.path.some(({ parent }, place) => parent && parent.children[0] !== node.path[place]), "promote");
    show($("next-mistake"), this.values() && (this.rooms.coach?.mistakes ?? []).length > 0, $("find-mistakes"));
    show($("pause"), game.machines === 2 || game.paused && !game.isTask, $("new"));
    show($("node-tools"), game.root.children.length > 0, $("new"));
    $("edit").hidden = editor.active;
    say($("hint").querySelector("span"), hint.node === node && hint.step > 0 && hint.step < 3 ? t("do.more") : t("do.hint"));
    say($("pause"), game.paused ? t("do.on") : t("do.pause"));
    for (const side of ["white", "black"]) $(side).value = game.players[side];
    $("level").value = listed(game.level);
    if (this.commented === null) $("comment").value = node.comment;
    const rules = t(`rules.${this.ruleset.name}`);
    say($("title"), rules);
    document.title = `Millbase – ${rules}`;
  }

  listen() {
    this.listenToWays();
    this.listenToActs();
    this.listenToFields();
  }

  /* The ways into the rooms of the page. */
  listenToWays() {
    const { press, page } = this;
    for (const id of ["new", "brand", "go-play"]) press(id, page.goHome);
    for (const id of ["go-puzzles", "start-puzzles"]) press(id, () => this.startPuzzles());
    for (const id of ["go-learn", "start-learn"]) press(id, () => page.openPanel("learn"));
    for (const id of ["go-analyse", "start-analyse"]) press(id, () => page.start("hand", "hand", "analyse"));
    press("start-continue", () => { page.openPanel("game"); page.showBoard(); });
    press("start-white", () => page.start("hand", "machine", "play"));
    press("start-black", () => page.start("machine", "hand", "play"));
    press("start-two", () => page.start("hand", "hand", "play"));
  }

  /* Begins with puzzles, unless another game was begun before their script was here. */
  async startPuzzles() {
    const { root } = this.game;
    this.page.openPanel("learn");
    await this.page.enterRooms();
    if (this.game.root === root) $("puzzle-start").click();
  }

  /* The buttons of a game. */
  listenToActs() {
    const { game, press, page, said, hint, match } = this;
    for (const [id, by] of Object.entries(STEPS)) press(id, () => game.step(by));
    press("back", () => { said.problem = ""; game.takeBack(); });
    press("pause", () => game.setPaused(!game.paused));
    press("flip", () => { settings.flipped = !settings.flipped; saveSettings(); page.render(); });
    press("hint", async () => {
      const { node } = game;
      const words = await hint.next();
      if (game.node === node) said["hint-words"] = words ?? "";
      page.render();
    });
    press("resign", () => match.resign());
    press("offer", () => match.offerDraw());
    press("rematch", page.rematch);
    press("review", page.review);
    press("find-mistakes", page.review);
    press("next-mistake", () => this.rooms.coach.start());
    press("promote", () => { game.node.promote(); page.render(); });
    press("remove", () => {
      const count = game.node.size + 1;
      if (count === 1 || confirm(t("game.sure", { count }))) game.remove();
    });
    press("edit", () => { said.problem = ""; this.editor.begin(game.node.position); });
  }

  listenToFields() {
    const { game, page } = this;
    const comment = $("comment");
    comment.addEventListener("focus", () => { this.commented = game.node; });
    comment.addEventListener("blur", () => { this.commented = null; page.render(); });
    comment.addEventListener("input", () => { (this.commented ?? game.node).comment = comment.value.trim(); page.render(); });
    for (const side of ["white", "black"]) $(side).addEventListener("change", () => game.setPlayer(side, $(side).value));
    $("level").addEventListener("change", () => { game.level = Number($("level").value); page.render(); });
    $("language").addEventListener("change", () => page.speakIn($("language").value));
    listenToOptions(name => {
      if (name === "notice") page.lookAround();
      if (name === "values") game.refresh();
      page.render();
    });
  }
}
