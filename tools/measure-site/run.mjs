#!/usr/bin/env node
// Measures how the npm package reads databases from a static host: dependent rounds, requests, bytes and milliseconds of
// ranking all turns of a position.
//
//     bindings/wasm/build && tools/measure-site/run.mjs DATABASES [--chromium] [--h2] [--delay 50] [--each 8] [--games 3]
//         [--seed 1] [--only cold,seen,placing,game] [--ahead 2,65536] [--pkg bindings/wasm/pkg] [--details FILE]
//
// Without --chromium, Node asks and reads the files from the disk: rounds, requests and bytes are those of a browser, and it
// takes a minute. With it, nginx (on the PATH) serves the files on the loopback; a proxy, which delays each answer from the
// databases by so many milliseconds and keeps connections open, stands in front of it; each session is a new worker of one
// page in Chromium. With --h2 the proxy speaks HTTP/2, as most hosts do, with a certificate that openssl makes; else Chromium
// opens its usual six connections.
//
//     cold      nothing but the manifest is there: a random position of each pair, larger and smaller side to move
//     seen      one position of the pair was asked about before
//     placing   positions after each number of turns from 0 to 17, nothing there and one asked about before
//     game      a game of sixty turns from the start, half of the turns the best ones, half by chance among those that give
//               nothing away; with --ahead also one that reads ahead after this many turns, so many bytes
//
// Rounds are the times that a question is asked again after bytes came; bytes are those of the bodies. *One request* is a plain
// one of 16 bytes at the beginning of each session, which shows what the machine adds to the delay.

import { execFileSync, spawn } from "node:child_process";
import { closeSync, openSync, readSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { Agent, createServer, request as forward } from "node:http";
import { createSecureServer } from "node:http2";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { countFetches, countRounds, random, session } from "./questions.mjs";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    chromium: { type: "boolean" },
    h2: { type: "boolean" },
    delay: { type: "string", default: "50" },
    each: { type: "string", default: "8" },
    games: { type: "string", default: "3" },
    seed: { type: "string", default: "1" },
    only: { type: "string", default: "cold,seen,placing,game" },
    pkg: { type: "string", default: new URL("../../bindings/wasm/pkg", import.meta.url).pathname },
    ahead: { type: "string" },
    details: { type: "string" },
  },
});
if (positionals.length !== 1) {
  console.error("usage: tools/measure-site/run.mjs DATABASES [options], see the head of this file");
  process.exit(2);
}
const folder = resolve(positionals[0]);
const pkg = resolve(options.pkg);
const { open } = await import(`file://${pkg}/node.js`);
const { Core } = await import(`file://${pkg}/core.js`);

/** Size and length of the head of each file, as a manifest has them. */
function manifest(url) {
  const names = readdirSync(folder).filter((name) => name.endsWith(".mill"));
  return Object.fromEntries(names.map((name) => {
    const path = join(folder, name);
    const file = openSync(path);
    const bytes = Buffer.alloc(16);
    readSync(file, bytes, 0, 16, 0);
    closeSync(file);
    return [name, { url: url + name, size: statSync(path).size, head: bytes.readUInt32LE(12) }];
  }));
}

/** The sessions, the same for the same seed. */
async function plan() {
  const mill = await open();
  const below = random(Number(options.seed));
  const each = Number(options.each);
  const moving = (white, black) => {
    for (;;) {
      const board = Array(24).fill("*");
      for (const [letter, count] of [["O", white], ["@", black]]) {
        for (let left = count; left > 0;) {
          const point = below(24);
          if (board[point] === "*") {
            board[point] = letter;
            left -= 1;
          }
        }
      }
      const rings = [0, 8, 16].map((at) => board.slice(at, at + 8).join("")).join("/");
      const fen = `${rings} w m s ${white} 0 ${black} 0 0 0`;
      const { phase, turns } = mill.position(fen);
      if (phase !== "over" && turns.length > 0) return fen;
    }
  };
  const placing = (ply) => {
    let fen = mill.start();
    for (let made = 0; made < ply; made++) {
      const { turns } = mill.position(fen);
      fen = mill.play(fen, turns[below(turns.length)]);
    }
    return fen;
  };
  const sessions = [];
  const only = options.only.split(",");
  for (let larger = 3; larger <= 9; larger++) {
    for (let smaller = 3; smaller <= larger; smaller++) {
      for (let at = 0; at < each; at++) {
        const [w, b] = at % 2 === 0 ? [larger, smaller] : [smaller, larger];
        const asks = [moving(b, w), moving(w, b), moving(b, w)];
        if (only.includes("cold")) sessions.push({ kind: "cold", asks: asks.slice(1, 2), measured: 1 });
        if (only.includes("seen")) sessions.push({ kind: "seen", asks, measured: 2 });
      }
    }
  }
  for (let ply = 0; only.includes("placing") && ply < 18; ply++) {
    const number = String(ply).padStart(2, "0");
    for (let at = 0; at < each; at++) {
      const asks = [placing(ply), placing(ply)];
      sessions.push({ kind: `placing ${number}, cold`, asks: asks.slice(1), measured: 1 });
      sessions.push({ kind: `placing ${number}, seen`, asks, measured: 1 });
    }
  }
  for (let at = 0; only.includes("game") && at < Number(options.games); at++) {
    const seed = Number(options.seed) * 100 + at;
    sessions.push({ kind: "game", turns: 60, seed });
    if (options.ahead) {
      const [turns, bytes] = options.ahead.split(",").map(Number);
      sessions.push({ kind: "game, reading ahead", turns: 60, seed, prefetch: { turns, bytes } });
    }
  }
  mill.close();
  return sessions;
}

/** Answers ranges from the disk. */
function fetchFromDisk(url, { headers = {} } = {}) {
  const path = join(folder, String(url).split("/").at(-1));
  const [, start, last] = /bytes=(\d+)-(\d+)/.exec(headers.Range ?? headers.range);
  const size = statSync(path).size;
  const end = Math.min(Number(last) + 1, size);
  const bytes = Buffer.alloc(end - Number(start));
  const file = openSync(path);
  readSync(file, bytes, 0, bytes.length, Number(start));
  closeSync(file);
  const head = { "Content-Range": `bytes ${start}-${end - 1}/${size}`, "Content-Length": String(bytes.length) };
  return Promise.resolve(new Response(bytes, { status: 206, headers: head }));
}

async function inNode(sessions) {
  globalThis.fetch = fetchFromDisk;
  countFetches();
  countRounds(Core);
  const files = manifest("http://none/");
  const results = [];
  for (const task of sessions) {
    results.push(...(await session(open, files, task)));
  }
  return results;
}

/** nginx on a port of its own; returns its base and a function that ends it. */
async function nginx(scratch) {
  const port = 20000 + (process.pid % 20000);
  const tool = resolve(new URL(".", import.meta.url).pathname);
  await writeFile(join(scratch, "nginx.conf"), `
daemon off; master_process off; worker_processes 1; error_log stderr warn; pid ${scratch}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off; sendfile on; keepalive_requests 1000000;
  types { application/wasm wasm; text/javascript js mjs; text/html html; application/octet-stream mill; }
  ${["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((kind) => `${kind}_temp_path ${scratch};`).join(" ")}
  server {
    listen 127.0.0.1:${port};
    location /db/ { alias ${folder}/; }
    location /pkg/ { alias ${pkg}/; }
    location /tool/ { alias ${tool}/; }
  }
}`);
  const running = spawn("nginx", ["-c", join(scratch, "nginx.conf"), "-p", scratch, "-e", "stderr"], { stdio: ["ignore", "ignore", "inherit"] });
  for (let tries = 0; tries < 100; tries++) {
    await new Promise((done) => setTimeout(done, 50));
    const there = await fetch(`http://127.0.0.1:${port}/tool/run.mjs`).then(({ ok }) => ok, () => false);
    if (there) return { port, stop: () => running.kill() };
  }
  throw new Error("nginx does not answer");
}

const PAGE = `<!doctype html><title>measure</title><script type="module">
  const { files, sessions } = await (await fetch("/plan")).json();
  for (const [at, task] of sessions.entries()) {
    const own = ([name, file]) => [name, { ...file, url: new URL("/db/" + at + "/" + name, location) + "" }];
    const worker = new Worker("/tool/questions.mjs", { type: "module" });
    const results = await new Promise((done) => {
      worker.onmessage = ({ data }) => done(data);
      worker.onerror = ({ message }) => done([{ kind: task.kind, error: message }]);
      worker.postMessage({ files: Object.fromEntries(Object.entries(files).map(own)), task });
    });
    worker.terminate();
    await fetch("/results", { method: "POST", body: JSON.stringify(results) });
  }
  await fetch("/end", { method: "POST" });
</script>`;

async function inChromium(sessions) {
  const scratch = await mkdtemp(join(tmpdir(), "measure-site-"));
  const server = await nginx(scratch);
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const delay = Number(options.delay);
  const results = [];
  let ended;
  const end = new Promise((done) => (ended = done));
  const served = { requests: 0, bytes: 0 };
  const handler = async (request, response) => {
    const path = request.url;
    if (request.method === "POST") {
      let body = "";
      for await (const part of request) body += part;
      response.writeHead(204).end();
      if (path === "/end") return ended();
      results.push(...JSON.parse(body));
      return;
    }
    if (path === "/") return response.writeHead(200, { "Content-Type": "text/html" }).end(PAGE);
    if (path === "/favicon.ico") return response.writeHead(204).end();
    if (path === "/plan") return response.end(JSON.stringify({ files: manifest("/db/"), sessions }));
    const { range } = request.headers;
    // Each session has addresses of its own, so that the browser's cache has nothing.
    const inside = path.replace(/^\/db\/\d+\//, "/db/");
    const pass = () => {
      const inner = forward({ port: server.port, path: inside, agent, headers: range ? { range } : {} }, (answer) => {
        const { connection, "keep-alive": _, ...headers } = answer.headers;
        if (path.startsWith("/db/")) {
          served.requests += 1;
          served.bytes += Number(headers["content-length"]);
        }
        response.writeHead(answer.statusCode, headers);
        answer.pipe(response);
      });
      inner.on("error", () => response.destroy());
      inner.end();
    };
    path.startsWith("/db/") ? setTimeout(pass, delay) : pass();
  };
  let proxy;
  if (options.h2) {
    const [key, cert] = ["key.pem", "cert.pem"].map((name) => join(scratch, name));
    const subject = ["-subj", "/CN=localhost", "-days", "2", "-nodes", "-newkey", "rsa:2048"];
    execFileSync("openssl", ["req", "-x509", ...subject, "-keyout", key, "-out", cert], { stdio: "ignore" });
    const { readFileSync } = await import("node:fs");
    proxy = createSecureServer({ key: readFileSync(key), cert: readFileSync(cert) }, handler);
  } else {
    proxy = createServer({ keepAliveTimeout: 600_000 }, handler);
  }
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  const base = `${options.h2 ? "https" : "http"}://127.0.0.1:${proxy.address().port}/`;
  const flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--ignore-certificate-errors"];
  const browser = spawn("chromium", [...flags, `--user-data-dir=${scratch}/profile`, base], { stdio: "ignore" });
  const dead = new Promise((done) => browser.on("exit", () => done("ended")));
  try {
    if ((await Promise.race([end, dead])) === "ended") throw new Error("Chromium ended before its page");
  } finally {
    browser.kill();
    await dead;
    server.stop();
    agent.destroy();
    proxy.close();
    await rm(scratch, { recursive: true, force: true, maxRetries: 20 });
  }
  console.log(`the proxy answered ${served.requests} requests with ${served.bytes} bytes of databases`);
  return results;
}

function table(results) {
  const kinds = [...new Set(results.map(({ kind }) => kind))].sort();
  const names = ["rounds", "requests", "bytes", "milliseconds"];
  console.log(`| kind | questions | no answer | ${names.map((name) => `${name}: median, 95 %, 99 %`).join(" | ")} |`);
  console.log(`|---|---:|---:|${names.map(() => "---:").join("|")}|`);
  for (const kind of kinds) {
    const all = results.filter((one) => one.kind === kind);
    const answered = all.filter((one) => one.error === undefined);
    const parts = names.map((name) => {
      const sorted = answered.map((one) => one[name]).sort((a, b) => a - b);
      const at = (part) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))]).toLocaleString("en");
      return sorted.length ? `${at(0.5)}, ${at(0.95)}, ${at(0.99)}` : "";
    });
    console.log(`| ${kind} | ${all.length} | ${all.length - answered.length} | ${parts.join(" | ")} |`);
  }
  const sentences = new Set(results.map(({ error }) => error).filter(Boolean));
  for (const sentence of [...sentences].slice(0, 5)) console.log(`no answer: ${sentence}`);
}

const sessions = await plan();
const results = await (options.chromium ? inChromium(sessions) : inNode(sessions));
table(results);
if (options.details) writeFileSync(options.details, JSON.stringify(results, undefined, 1));
