/* The notice about missing databases: the command that builds them, or a choice of builds if the server may. */

import { $, replace, say, show, tag } from "./dom.js";
import { SETS, stonesIn } from "./pairs.js";
import { saveSettings, settings } from "./store.js";
import { bytesWords, colon, problemWords, t, timeWords, troubleWords } from "./strings.js";
import { wait } from "./wait.js";

const POLL = 1000; // ms between questions about a build

export class Builder {
  /* `come` is called after a build added databases; `ruleName` is that of the rules of the game. */
  constructor({ game, ruleName, come }) {
    Object.assign(this, { game, ruleName, come, pairs: -1 });
    $("build-start").addEventListener("click", () => this.start());
    $("build-stop").addEventListener("click", () => game.backend.stopBuild().catch(error => game.trouble(error)));
    $("notice-close").addEventListener("click", () => {
      settings.notice = $("notices").checked = false;
      saveSettings();
      say($("notice-problem"), "");
      show($("notice"), false, $("new"));
    });
  }

  /* Shows which databases are missing for the rules of the game. */
  async look() {
    const { backend, rules } = this.game;
    const { databases, placing } = await backend.databases(rules);
    const missing = databases.filter(({ present }) => !present).map(({ pair }) => stonesIn(pair));
    const building = await backend.building(rules);
    if (rules !== this.game.rules) return;
    const busy = ["pairs", "placing"].includes(building.state);
    this.placing = building.plan?.placing ?? false;
    const complete = missing.length === 0 && (placing.length > 0 || !this.placing);
    if (complete && !busy) { show($("notice"), false, $("new")); return; }
    const most = Math.max(0, ...databases.filter(({ present }) => present).map(({ pair }) => stonesIn(pair)));
    const name = this.ruleName();
    const option = name === "standard" ? "" : ` --rules ${name === "own" ? "FILE" : name}`;
    say($("notice-words"), missing.length === 0 ? t("notice.placing") : most > 0 ? t("notice.some", { most }) : t("notice.none"));
    say($("notice-command"), `millbase build --placing --db FOLDER${option}`);
    show($("build"), building.allowed && building.plan !== null, $("notice-close"));
    if (building.plan) this.offer(missing, building.plan);
    show($("notice"), settings.notice || busy || $("notice-problem").textContent !== "", $("new"));
    if (busy) this.follow().catch(error => this.game.trouble(error));
  }

  /* Offers the sets of pairs that lack one, and everything. */
  offer(missing, plan) {
    const sets = SETS.filter((most, place) => missing.some(stones => stones <= most && stones > (SETS[place - 1] ?? 0)));
    const time = timeWords(plan.seconds);
    const all = t("build.all", { time, bytes: bytesWords(plan.file_bytes), memory: bytesWords(plan.memory_bytes) });
    replace($("build-what"),
      ...sets.map(most => tag("option", { value: most }, t("build.pairs.up", { most }))),
      tag("option", { value: "", selected: true }, all));
  }

  async start() {
    say($("notice-problem"), "");
    const stones = $("build-what").value;
    try {
      await this.game.backend.build(this.game.rules, stones, this.placing && stones === "");
      await this.follow();
    } catch (error) {
      say($("notice-problem"), troubleWords(error));
    }
  }

  /* Shows the progress of a build until it ends. */
  async follow() {
    if (this.following) return;
    this.following = true;
    show($("build"), false, $("notice-close"));
    $("notice").open = true;
    $("build-progress").hidden = false;
    try {
      for (;;) {
        const building = await this.game.backend.building(this.game.rules);
        if (building.state === "failed") say($("notice-problem"), problemWords(building.error));
        if (!["pairs", "placing"].includes(building.state)) break;
        this.tell(building);
        if (building.pairs_done !== this.pairs) { this.pairs = building.pairs_done; this.come(); }
        await wait(POLL);
      }
    } finally {
      this.following = false;
      show($("build-progress"), false, $("notice-close"));
    }
    this.come();
    await this.look();
  }

  /* Shows how far a build is. */
  tell(building) {
    $("build-bar").value = building.share;
    const left = building.seconds_left === null ? "" : t("build.left", { time: timeWords(building.seconds_left) });
    const { pair, pairs_done: done, pairs } = building;
    const words = building.state === "pairs" ? t("build.pairs", { pair: pair ?? "", done, pairs }) : t("build.placing");
    const name = building.rules.name ?? "own";
    const told = name === this.ruleName() ? words : colon(t(`rules.${name}`), words);
    say($("build-words"), `${told} ${left}`);
    $("build-stop").hidden = !building.allowed;
  }
}
