// Chromium, for the tests that need a browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

function chromium() {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of ["chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome"]) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {}
    }
  }
  assert.ok(!process.env.CI, "Chromium is missing");
}

const browser = chromium();

/** Why the tests are skipped; `false` if they are not. */
export const skip = browser ? false : "Chromium is missing";

/** Shows an address until a promise is kept, at most for this many seconds. */
export async function show(address, promise, seconds) {
  const profile = await mkdtemp(join(tmpdir(), "millbase-"));
  const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  const running = spawn(browser, [...options, address], { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => running.on("exit", resolve));
  let timer;
  const late = new Promise((resolve) => (timer = setTimeout(resolve, seconds * 1000, "late")));
  try {
    const end = await Promise.race([promise, ended.then(() => "ended"), late]);
    assert.notEqual(end, "ended", "Chromium ended before its page");
    assert.notEqual(end, "late", `the page takes longer than ${seconds} s`);
  } finally {
    clearTimeout(timer);
    // A script may have started the browser: all processes of the group end.
    if (running.exitCode === null) process.kill(-running.pid);
    await ended;
    await rm(profile, { recursive: true, force: true, maxRetries: 20 });
  }
}
