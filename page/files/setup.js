/* Games and positions that come in and go out as texts: the panel "Set up", and the games kept on this device. */

import { $, copy, replace, say, tag } from "./dom.js";
import { fresh } from "./game.js";
import { writeGame } from "./notation.js";
import { earlierGames, keepGame } from "./store.js";
import { language, remarkWords, sentence, t, turnsWords } from "./strings.js";

const NO_TURNS = { comment: "", turns: [] };

export class Setup {
  /* `begin` begins a game; `press` listens to a button; `save` saves a picture in a form. */
  constructor({ game, ruleset, begin, press, save }) {
    Object.assign(this, { game, ruleset, begin, text: "", games: [], place: 0 });
    press("position-load", () => this.load("position-problem", () => this.loadPosition($("position-text").value.trim())));
    press("game-load", () => this.load("game-problem", () => this.loadText($("game-text").value)));
    $("choice").addEventListener("change", () => this.load("game-problem", () => this.openChoice(Number($("choice").value))));
    press("earlier-open", () => this.load("game-problem", () => this.openText(this.earlier[$("earlier").value].text)));
    const copies = (id, text) => press(id, async () => {
      // The same words again would not be read out.
      say($("copied"), "");
      await copy(text());
      say($("copied"), t("setup.copied"));
    });
    copies("position-copy", () => game.node.position);
    copies("game-copy", () => this.write());
    copies("link-copy", () => location.href);
    for (const form of ["png", "svg"]) press(`save-${form}`, () => save(form));
    $("position-text").addEventListener("keydown", event => { if (event.key === "Enter") $("position-load").click(); });
  }

  /* Shows the texts of the game; the user's own text stays until there is something new to show. */
  show() {
    const { game } = this;
    const set = (field, text) => {
      if (field.dataset.shown === text || document.activeElement === field) return;
      field.value = field.dataset.shown = text;
    };
    set($("position-text"), game.node.position);
    set($("game-text"), game.root.children.length > 0 ? this.write() : "");
  }

  /* The text of a game. */
  write(root = this.game.root, rules = this.ruleset.name) {
    return writeGame(root, { rules, startPosition: this.ruleset.isFromStart(root, rules) });
  }

  /* Loads something, and shows the remarks about it. */
  async load(place, loading) {
    say($(place), "");
    say($(place), await sentence(loading));
  }

  /* Opens a game that was read from a text or an address; returns a sentence if something is wrong with it. */
  async open({ rules, position, line, at, tags = [], result = null, values }) {
    const { game, ruleset } = this;
    if (rules && !ruleset.known(rules)) return t("problem.rules", { name: rules, names: ruleset.names.join(", ") });
    const wanted = rules ? ruleset.asked(rules) : null;
    const root = Object.assign(fresh(position ?? ruleset.start(wanted ?? ruleset.own)), { tags, result, comment: line.comment });
    const { last, illegal } = await game.add(line, root, wanted);
    if (line.turns.length === 0) root.position = (await game.backend.step(wanted, root.position, [])).position;
    if (illegal && last === root && !position) return `${t("setup.illegal", illegal)} ${t("setup.nothing")}`;
    this.begin({ rules: wanted, root, node: at == null ? last : root.all[at] ?? last, values: values || undefined });
    return illegal ? t("setup.illegal", illegal) : "";
  }

  /* Reads a text; these rules are those of games that name none. */
  read(text, rules = this.game.rules) {
    return this.game.backend.read(rules, text);
  }

  async loadText(text) {
    const { games, left_out: more } = await this.read(text);
    if (games.length === 0) return t("setup.unreadable");
    Object.assign(this, { text, games, place: 0 });
    $("choice-field").hidden = games.length === 1;
    this.nameChoices();
    const words = await this.openChoice(0);
    return more > 0 ? `${t("setup.more", { count: more })} ${words}` : words;
  }

  /* Lists the games of the text. */
  nameChoices() {
    replace($("choice"), ...this.games.map((record, place) => tag("option", { value: place, selected: place === this.place }, titleOf(record, place))));
  }

  async openChoice(place) {
    this.place = place;
    const words = await this.openRecord(this.games[place]);
    // A text with something that could not be read stays, to be mended.
    if (words) $("game-text").value = this.text;
    return words;
  }

  /* Opens a game that the page has written, with the node shown that `where` names. */
  async openText(text, where) {
    const { games: [record] } = await this.read(text, null);
    return record ? this.openRecord(record, where) : t("setup.unreadable");
  }

  /* Opens a game that the backend has read; returns the remarks about it. */
  async openRecord(record, where) {
    const { rules, start, line, remarks, tags, result } = record;
    const words = remarks.map(remarkWords).join(" ");
    if (line.turns.length === 0 && remarks.some(({ cuts }) => cuts)) return `${words} ${t("setup.nothing")}`;
    return [await this.open({ rules, position: start, line, tags, result, ...where }), words].filter(Boolean).join(" ");
  }

  /* Opens the position of a text in any form, or says what is wrong with it. */
  async loadPosition(text) {
    const { games: [found] } = await this.read(text);
    const isWhole = found && found.remarks.length === 0;
    return this.openPosition(isWhole ? found.position : text);
  }

  openPosition(position) {
    return this.open({ rules: this.ruleset.name, position, line: NO_TURNS });
  }

  /* Adds a game to the earlier ones. */
  keep(root, rules) {
    if (root.size > 1) keepGame(this.write(root, rules), root.size);
    this.showEarlier();
  }

  showEarlier() {
    this.earlier = earlierGames();
    $("earlier-field").hidden = this.earlier.length === 0;
    replace($("earlier"), ...this.earlier.map(({ date, turns }, place) =>
      tag("option", { value: place }, `${new Date(date).toLocaleString(language(), { dateStyle: "short", timeStyle: "short" })}, ${turnsWords(turns)}`)));
  }
}

/* The players and the result of a game, and its number. */
function titleOf({ tags, result, line }, place) {
  const player = side => tags.find(({ name, value }) => name === side && value !== "?")?.value ?? t(side.toLowerCase());
  const title = `${place + 1}. ${player("White")} – ${player("Black")} ${result ?? ""}`.trim();
  return `${title}, ${turnsWords(line.turns.length)}`;
}
