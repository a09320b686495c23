// The npm package in Chromium, in a page and in a worker.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { show, skip } from "./chromium.js";

const here = new URL("./", import.meta.url);
const pkg = new URL(process.env.PKG ? `file://${process.env.PKG}/` : "../pkg/", here);
const TYPES = { js: "text/javascript", wasm: "application/wasm", html: "text/html", csv: "text/csv", mill: "application/octet-stream" };

test("a page and a worker", { skip }, async () => {
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
  try {
    await show(`http://127.0.0.1:${server.address().port}/`, both, 240);
    const expected = { embedded: 1000, urls: 200, file: 21, chosen: true };
    assert.deepEqual(found, { page: expected, worker: expected });
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
