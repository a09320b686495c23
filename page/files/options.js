/* The settings of the user, with their fields. */

import { $ } from "./dom.js";
import { saveSettings, settings } from "./store.js";

/* The fields with a setting each. */
const CHECKS = { values: "values", threats: "threats", coordinates: "coordinates", sound: "sound", notices: "notice" };
const dark = matchMedia("(prefers-color-scheme: dark)");

/* Shows the chosen colours, and those of the system where none are chosen. */
export function paint() {
  const { theme, scheme } = settings;
  Object.assign(document.documentElement.dataset, { theme, scheme: scheme === "system" ? dark.matches ? "dark" : "light" : scheme });
}

/* `changed` is called with the name of a setting that the user changed. */
export function listenToOptions(changed) {
  for (const [id, name] of Object.entries(CHECKS)) {
    $(id).checked = settings[name];
    $(id).addEventListener("change", () => {
      settings[name] = $(id).checked;
      saveSettings();
      changed(name);
    });
  }
  for (const id of ["theme", "scheme"]) {
    $(id).value = settings[id];
    $(id).addEventListener("change", () => {
      settings[id] = $(id).value;
      saveSettings();
      paint();
    });
  }
  dark.addEventListener("change", paint);
}
