// The packed archive in fresh projects of the bundlers, with the lines that the README gives for each, in Chromium.

import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { createServer } from "node:http";
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { show, skip as noBrowser } from "./chromium.js";

const run = promisify(execFile);
const here = fileURLToPath(new URL("bundlers/", import.meta.url));
const pkg = process.env.PKG ?? fileURLToPath(new URL("../pkg/", import.meta.url));
const tools = join(here, "node_modules");
const ESBUILD = "page.js worker=millbase/worker --bundle --format=esm --loader:.wasm=file --outdir=dist";
const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Installs the bundlers, unless they are there; why the tests are skipped if the registry cannot be reached. */
async function install() {
  const [wanted, there] = await Promise.all(["package-lock.json", "node_modules/installed.json"].map((name) => readFile(join(here, name), "utf8").catch(() => undefined)));
  if (wanted === there) return false;
  try {
    await run("npm", ["ci", "--prefer-offline", "--no-audit", "--no-fund", "--fetch-retries=1", "--ignore-scripts", "--fetch-timeout=60000", "--prefix", here], { timeout: 150_000 });
  } catch (error) {
    const isAway = error.killed || /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/.test(error.stderr);
    if (!isAway || process.env.CI) throw error;
    return "the npm registry cannot be reached";
  }
  await writeFile(join(tools, "installed.json"), wanted);
  return false;
}

const skip = noBrowser || (await install());
const text = (file) => readFile(file, "utf8");
const [vite7, vite8] = ["vite7", "vite8"].map((name) => join(tools, name, "bin/vite.js"));
const plain = { ...process.env, NO_COLOR: "1", FORCE_COLOR: "0", NODE_ENV: "" };

let folder;
/** The pages to show by their names: their addresses. */
const pages = {};
/** What ends when the tests do. */
const ends = [];

before(async () => {
  if (skip) return;
  folder = await mkdtemp(join(tmpdir(), "millbase-bundlers-"));
  ends.push(() => rm(folder, { recursive: true, force: true, maxRetries: 20 }));
  const { stdout } = await run("npm", ["pack", "--silent", "--pack-destination", folder, pkg]);
  const archive = join(folder, stdout.trim());
  await mkdir(join(folder, "installed"));
  await run("npm", ["install", "--silent", "--offline", "--no-audit", "--no-fund", "--prefix", join(folder, "installed"), archive]);
});
after(() => Promise.all(ends.reverse().map((end) => end())));

/** A fresh project in which the package is installed, with the files of a folder here. */
async function project(name, from) {
  const root = join(folder, name);
  await cp(join(folder, "installed"), root, { recursive: true });
  await cp(join(here, from), root, { recursive: true });
  await cp(join(here, "check.js"), join(root, "check.js"));
  const manifest = JSON.parse(await text(join(root, "package.json")));
  await writeFile(join(root, "package.json"), JSON.stringify({ ...manifest, type: "module" }));
  return root;
}

/** Runs a script with Node; it must not warn. */
async function node(root, ...args) {
  const { stdout, stderr } = await run(process.execPath, args, { cwd: root, env: plain });
  assert.doesNotMatch(stdout + stderr, /warn/i);
  return stdout;
}

/** The address of a server of a folder's files. */
async function serve(root) {
  const server = createServer(async (request, response) => {
    const path = new URL(request.url, "http://localhost").pathname;
    const file = join(root, path === "/" ? "index.html" : path);
    const bytes = await readFile(file).catch(() => undefined);
    response.writeHead(bytes ? 200 : 404, { "Content-Type": TYPES[extname(file)] ?? "text/plain" }).end(bytes);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  ends.push(() => (server.closeAllConnections(), server.close()));
  return `http://127.0.0.1:${server.address().port}/`;
}

/** The address of Vite's server for development. */
async function develop(root, vite) {
  const server = spawn(process.execPath, [vite, "--host", "127.0.0.1", "--port", "0"], { cwd: root, env: plain });
  const ended = new Promise((resolve) => server.on("exit", resolve));
  ends.push(() => (server.kill(), ended));
  let said = "";
  return new Promise((resolve, reject) => {
    const hear = (part) => {
      said += part;
      const [address] = /http:\/\/127\.0\.0\.1:\d+\//.exec(said) ?? [];
      if (address) resolve(address);
    };
    server.stdout.on("data", hear);
    server.stderr.on("data", hear);
    void ended.then(() => reject(new Error(`Vite ended: ${said}`)));
  });
}

describe("projects", { skip, concurrency: true, timeout: 120_000 }, () => {
  test("Node", async () => {
    assert.equal(await node(await project("node", "node"), "server.js"), "21\n");
  });

  for (const [name, vite] of [["vite7", vite7], ["vite8", vite8]]) {
    test(name, async () => {
      const root = await project(name, "vite");
      await node(root, vite, "build");
      pages[`${name} build`] = await serve(join(root, "dist"));
      pages[`${name} dev`] = await develop(root, vite);
      // On the server, with the package outside the bundle and inside.
      await node(root, vite, "build", "--ssr", "server.js", "--outDir", "outside");
      assert.equal(await node(root, "outside/server.js"), "21\n");
      await node(root, vite, "build", "--config", "inline.config.js", "--ssr", "server.js", "--outDir", "inside");
      const alone = join(folder, `${name} alone`);
      await cp(join(root, "inside"), alone, { recursive: true });
      await cp(join(root, "node_modules/millbase/core_bg.wasm"), join(alone, "core_bg.wasm"));
      await writeFile(join(alone, "package.json"), '{ "type": "module" }');
      assert.equal(await node(alone, "server.js"), "21\n");
    });
  }

  test("webpack", async () => {
    const root = await project("webpack", "webpack");
    const { default: webpack } = await import(pathToFileURL(join(tools, "webpack/lib/index.js")));
    const config = { mode: "development", devtool: false, context: root, entry: "./page.js", output: { path: join(root, "dist") } };
    const stats = await promisify(webpack)(config);
    assert.deepEqual(stats.toJson({ all: false, errors: true, warnings: true }), { errors: [], warnings: [] });
    pages.webpack = await shown(root, "main.js");
  });

  test("esbuild", async () => {
    const root = await project("esbuild", "esbuild");
    await node(root, join(tools, "esbuild/bin/esbuild"), ...ESBUILD.split(" "));
    pages.esbuild = await shown(root, "page.js");
  });
});

/** The address of a page with a script that was built. */
async function shown(root, script) {
  await writeFile(join(root, "dist/index.html"), `<!doctype html><script type="module" src="${script}"></script>`);
  return serve(join(root, "dist"));
}

test("the pages work in Chromium", { skip }, async () => {
  const names = ["esbuild", "vite7 build", "vite7 dev", "vite8 build", "vite8 dev", "webpack"];
  assert.deepEqual(Object.keys(pages).sort(), names);
  const found = {};
  let next, done;
  const all = new Promise((resolve) => (done = resolve));
  // A page of frames, one after the other: the answer to a request for the next one waits until this one has said what it found.
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url.slice(1));
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      found[name] = JSON.parse(body);
      response.writeHead(204).end();
      next?.();
      if (names.every((name) => found[name])) done();
    } else if (name === "") {
      const frames = JSON.stringify(names.map((name) => `${pages[name]}?found=${encodeURIComponent(`http://${request.headers.host}/${encodeURIComponent(name)}`)}`));
      const script = `for (const address of ${frames}) { frame.src = address; await fetch("/next"); }`;
      response.writeHead(200, { "Content-Type": "text/html" }).end(`<!doctype html><iframe id="frame"></iframe><script type="module">${script}</script>`);
    } else if (name === "next") {
      next = () => response.writeHead(204).end();
    } else {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await show(`http://127.0.0.1:${server.address().port}/`, all, 60).catch((error) => (found.failure = error.message));
    const right = { answers: [21, 21], end: "TimeoutError", soon: true };
    assert.deepEqual(found, Object.fromEntries(names.map((name) => [name, right])));
  } finally {
    server.closeAllConnections();
    server.close();
  }
});

test("the README has the lines of these projects", async () => {
  const page = await text(join(pkg, "README.md"));
  assert.ok(page.includes(ESBUILD));
  for (const file of ["vite/vite.config.js", "vite/inline.config.js", "vite/page.js", "esbuild/page.js"]) {
    const project = await text(join(here, file));
    const lines = project.match(/^(import|export) .*millbase.*$|new Worker\(.*?"module" \}\)/gm);
    assert.ok(lines.length > 0, file);
    for (const line of lines) assert.ok(page.includes(line), `${file}: ${line}`);
  }
});
