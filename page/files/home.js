/* The start screen: what the site knows, the choice of an opponent, and the ways into the rooms of the page. */

import { Board, POINTS, stonesOf } from "./board.js";
import { CLOCKS } from "./clock.js";
import { $, replace, say, tag } from "./dom.js";
import { LEVELS, face, listed, opponentName } from "./opponents.js";
import { saveSettings, settings } from "./store.js";
import { colon, t } from "./strings.js";

/* The picture: White has closed a mill. */
const PICTURE = "**@OOO**/*@**@*O*/O**@**@*";

export class Home {
  constructor() {
    this.board = new Board($("home-board"));
    this.board.draw({ diagonals: false, coordinates: false, flipped: false });
    const stones = stonesOf(PICTURE);
    const points = Object.fromEntries(POINTS.map(({ name }) => [name, { side: stones[name] }]));
    this.board.show({ points, mills: [{ line: ["c3", "d3", "e3"], side: "white" }] });
    $("start-level").addEventListener("change", event => {
      settings.level = Number(event.target.value);
      saveSettings();
      this.sayLevel();
    });
    $("start-clock").addEventListener("change", () => {
      settings.clock = $("start-clock").value;
      saveSettings();
    });
  }

  /* Writes the opponents and the clocks in the chosen language; `levelWords` says how well a level plays. */
  offer(levelWords) {
    this.levelWords = levelWords;
    const now = listed(settings.level);
    replace($("start-level"), ...LEVELS.map(level => tag("label", {},
      tag("input", {
        type: "radio", name: "start-level", value: level, id: `start-level-${level}`, checked: level === now,
        "data-key": level, "aria-label": `${opponentName(level)}, ${levelWords(level)}`,
      }),
      face(level), tag("span", {}, opponentName(level)))));
    replace($("start-clock"), ...CLOCKS.map(offer => {
      const [minutes, seconds] = offer.split("+");
      return tag("option", { value: offer, selected: offer === settings.clock }, offer ? t("clock.offer", { minutes, seconds }) : t("clock.none"));
    }));
    this.sayLevel();
  }

  sayLevel() {
    const level = listed(settings.level);
    const words = t("sentence", { words: colon(opponentName(level), this.levelWords(level)) });
    say($("level-words"), `${words} ${t(`level.about.${level < 12 ? 0 : level < 24 ? 1 : 2}`)}`);
  }

  get isOpen() { return !$("home").hidden; }

  /* Shows the start, or the table. */
  show(shown) {
    if (this.isOpen === shown && $("table").hidden === shown) return;
    $("home").hidden = !shown;
    $("table").hidden = shown;
    scrollTo(0, 0);
  }
}
