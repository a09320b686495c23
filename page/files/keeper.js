/* Keeps databases of a static host on this device, so that they answer without a network. */

import { $, replace, say, show, tag } from "./dom.js";
import { SETS, stonesIn } from "./pairs.js";
import { bytesWords, t } from "./strings.js";

const isPair = ({ name }) => !name.startsWith("placing");
const sum = files => files.reduce((bytes, file) => bytes + file.bytes, 0);

export class Keeper {
  /* `ask` is that of the device; `come` is called when other databases are here. */
  constructor({ ask, come }) {
    Object.assign(this, { ask, come, busy: null });
    $("keep-start").addEventListener("click", () => this.keep());
    $("keep-stop").addEventListener("click", () => this.busy?.abort());
    $("keep-forget").addEventListener("click", () => this.change("forget", {}));
    $("keeper").hidden = false;
  }

  async look(state) {
    state ??= await this.ask("kept", {});
    const { all, names, possible } = state;
    const sets = SETS.map(most => ({ most, files: all.filter(file => isPair(file) && stonesIn(file.name) <= most) }));
    sets.push({ most: null, files: all });
    const size = files => bytesWords(sum(files.filter(({ name }) => !names.includes(name))));
    this.sets = sets.filter(({ files }) => files.some(({ name }) => !names.includes(name)));
    replace($("keep-set"), ...this.sets.map(({ most, files }, value) =>
      tag("option", { value }, t(most ? "keep.pairs" : "keep.all", { most, bytes: size(files) }))));
    const here = all.filter(({ name }) => names.includes(name));
    say($("keep-words"), here.length > 0 ? t("keep.here", { count: here.length, bytes: bytesWords(sum(here)) }) : t("keep.none"));
    const enable = (id, enabled, next) => {
      if (!enabled && document.activeElement === $(id)) $(next).focus();
      $(id).disabled = !enabled;
    };
    enable("keep-forget", here.length > 0, "keep-set");
    enable("keep-start", possible && this.sets.length > 0, "keep-forget");
  }

  keep() {
    const set = this.sets[Number($("keep-set").value)];
    navigator.storage?.persist?.();
    return this.change("keep", { names: set.files.map(({ name }) => name) });
  }

  async change(kind, question) {
    if (this.busy) return;
    this.busy = new AbortController();
    say($("keep-problem"), "");
    $("keep-progress").hidden = kind !== "keep";
    let state;
    try {
      state = await this.ask(kind, question, { signal: this.busy.signal });
    } catch (error) {
      if (error.name !== "AbortError") say($("keep-problem"), t(error.code === "room" ? "keep.room" : "keep.failed"));
    }
    this.busy = null;
    show($("keep-progress"), false, $("keep-set"));
    await this.look(state);
    this.come();
  }

  progress({ done, bytes }) {
    $("keep-bar").value = done / bytes;
    say($("keep-done"), `${bytesWords(done)} / ${bytesWords(bytes)}`);
  }
}
