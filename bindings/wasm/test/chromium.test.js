// The npm package in Chromium, in a page and in a worker.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { accessSync, constants } from "node:fs";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { test } from "node:test";

const here = new URL("./", import.meta.url);
const pkg = new URL(process.env.PKG ? `file://${process.env.PKG}/` : "../pkg/", here);
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html", csv: "text/csv", mill: "application/octet-stream" };

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

test("a page and a worker", { skip: browser ? false : "Chromium is missing", timeout: 240_000 }, async () => {
  const found = {};
  let done;
  const both = new Promise((resolve) => (done = resolve));
  const server = createServer(async (request, response) => {
    const path = request.url.split("?")[0];
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      found[path.split("/").at(-1)] = JSON.parse(body);
      response.writeHead(204).end();
      if (found.page && found.worker) done();
      return;
    }
    if (path === "/") {
      return response.writeHead(200, { "Content-Type": "text/html" }).end('<script type="module" src="/browser.js"></script>');
    }
    const roots = { "/pkg/": pkg, "/db/": new URL("../../../db/", here), "/positions.csv": new URL("../../positions.csv", here), "/browser.js": new URL("browser.js", here) };
    const root = Object.keys(roots).find((root) => path.startsWith(root));
    const file = root && new URL(path.slice(root.length) || roots[root], roots[root]);
    const bytes = file && (await readFile(file).catch(() => undefined));
    if (!bytes) {
      return response.writeHead(404).end();
    }
    const type = { "Content-Type": TYPES[path.split(".").at(-1)] ?? "text/plain" };
    const range = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "");
    if (!range) {
      return response.writeHead(200, type).end(bytes);
    }
    const [start, end] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    response.writeHead(206, { ...type, "Content-Range": `bytes ${start}-${end}/${bytes.length}` }).end(bytes.subarray(start, end + 1));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const profile = await mkdtemp(join(tmpdir(), "millbase-"));
  const options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", `--user-data-dir=${profile}`];
  const running = spawn(browser, [...options, `http://127.0.0.1:${server.address().port}/`], { stdio: "ignore", detached: true });
  const ended = new Promise((resolve) => running.on("exit", resolve));
  try {
    const end = await Promise.race([both, ended.then(() => "ended")]);
    assert.notEqual(end, "ended", "Chromium ended before its page");
    const expected = { embedded: 1000, urls: 200, file: 21, chosen: true };
    assert.deepEqual(found, { page: expected, worker: expected });
  } finally {
    // A script may have started the browser: all processes of the group end.
    if (running.exitCode === null) process.kill(-running.pid);
    await ended;
    server.closeAllConnections();
    server.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 20 });
  }
});
