/* The gallery: the positions of the standard rules that take longest to win or lose, and mutual zugzwangs, each with a best line
   to step through. `millbase records` found them. */

import { $, icon, replace, say, tag } from "./dom.js";
import { readJson } from "./json.js";
import { colon, sentence, t, valueWords } from "./strings.js";

const LONGEST = 12;

export class Gallery {
  /* `open` opens a game as that of `Setup` does. */
  constructor({ open }) {
    Object.assign(this, { open, records: null });
    $("gallery").addEventListener("toggle", () => this.show());
    $("gallery-choice").addEventListener("change", () => this.list());
  }

  /* Shows the gallery once it is opened, in the chosen language. */
  async show() {
    if (!$("gallery").open) return;
    say($("gallery-problem"), "");
    try {
      this.records ??= sorted(await readJson("records.json"));
    } catch {
      say($("gallery-problem"), t("trouble"));
      return;
    }
    const names = { longest: t("gallery.longest"), placing: t("gallery.placing") };
    const chosen = $("gallery-choice").value || "longest";
    replace($("gallery-choice"), ...Object.keys(this.records).map(key =>
      tag("option", { value: key, selected: key === chosen }, names[key] ?? key.replace("-", "–"))));
    this.list();
  }

  list() {
    replace($("gallery-list"), ...this.records[$("gallery-choice").value].map(record =>
      tag("li", {}, tag("button", { type: "button", click: () => this.play(record) }, icon(record.wdl), ` ${titleOf(record)}`))));
  }

  async play({ position, line }) {
    const turns = line.map(turn => ({ turn, marks: "", comment: "", variations: [] }));
    const opening = () => this.open({ rules: "standard", position, line: { comment: "", turns }, at: 0, values: true });
    say($("gallery-problem"), await sentence(opening));
  }
}

/* The stones of a record and its value, as a title. */
function titleOf({ mover, other, placed, wdl, dtw, count }) {
  const stones = placed ? t("gallery.placed", { count: placed }) : `${mover}–${other}`;
  return colon(stones, count ? t("gallery.zugzwang", { count }) : valueWords({ wdl, dtw }));
}

/* The records by what can be chosen: the longest of all, those of each pair, those while placing. */
function sorted({ pairs, placing }) {
  const decided = (stones, values) => ["win", "loss"].filter(wdl => values[wdl]).map(wdl => {
    const { dtw, first: [position], line } = values[wdl];
    return { ...stones, wdl, dtw, position, line };
  });
  const ofPair = ({ pair, tables, zugzwangs: { positions: count, first: [position] } }) => {
    const [mover, other] = pair.split("-");
    const zugzwang = position ? [{ mover, other, wdl: "loss", count, position, line: [] }] : [];
    return [pair, [...tables.flatMap(table => decided({ mover: table.to_move, other: table.other }, table)), ...zugzwang]];
  };
  const ofPairs = pairs.map(ofPair);
  const ofPlies = placing.flatMap(values => decided({ placed: values.ply }, values));
  const all = [...ofPairs.flatMap(([, records]) => records), ...ofPlies].filter(({ dtw }) => dtw);
  const longest = all.sort((first, second) => second.dtw - first.dtw).slice(0, LONGEST);
  return { longest, ...Object.fromEntries(ofPairs), placing: ofPlies };
}
