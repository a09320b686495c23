// The npm package in Node: against the table of positions, from every kind of source, and on hostile input.
//
//     PKG=$PWD/pkg node --test test/*.test.js

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";
import { runInNewContext } from "node:vm";
import { brotliCompressSync, gzipSync } from "node:zlib";

const pkg = new URL(process.env.PKG ? `file://${process.env.PKG}/` : "../pkg/", import.meta.url);
const { open, version, Millbase, MillbaseError } = await import(new URL("node.js", pkg));

const folder = new URL("../../../db/", import.meta.url);
const NAMES = ["3-3.mill", "4-3.mill", "4-4.mill", "5-3.mill", "5-4.mill", "6-3.mill"];
const WIN = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
const bytes = Object.fromEntries(await Promise.all(NAMES.map(async (name) => [name, await readFile(new URL(name, folder))])));

const lines = (await readFile(new URL("../../positions.csv", import.meta.url), "utf8")).trim().split("\n").slice(2);
const table = lines.map((line) => {
  const [fen, wdl, dtw, turns, best, phase] = line.split(",");
  return { fen, wdl, dtw: dtw === "" ? null : Number(dtw), turns: Number(turns), best, phase };
});

// Without its own databases the module knows what the files say only: pairs that a file replaces.
let server, base;
const log = [];
let behaviour = {};
before(async () => {
  server = createServer(async (request, response) => {
    log.push(request.headers.range ?? request.method);
    const name = request.url.slice(1);
    const whole = bytes[name];
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
    const fault = behaviour.fault?.(Number(end) - Number(start));
    if (!whole || fault === "gone") {
      return response.writeHead(404).end();
    }
    if (fault === "hang") {
      return;
    }
    if (start === undefined || fault === "whole") {
      return response.writeHead(200).end(whole);
    }
    const last = Math.min(Number(end), whole.length - 1);
    let part = Buffer.from(whole.subarray(Number(start), last + 1));
    if (fault === "lie") {
      // In the head, which begins the first request.
      part[60 % part.length] ^= 0x10;
    }
    if (fault === "short") {
      part = part.subarray(0, part.length - 1);
    }
    response.writeHead(206, { "Content-Range": `bytes ${start}-${last}/${whole.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}/`;
});
after(() => {
  server.closeAllConnections();
  server.close();
});

const urls = () => Object.fromEntries(NAMES.map((name) => [name, base + name]));

test("a bundle opens from memory and from a URL", async () => {
  const fen = "OO*@****/*@******/@O****** w m s 3 0 3 0 0 0";
  const rules = "no-flying";
  const without = await open({ rules });
  await assert.rejects(without.probe(fen), { code: "missing" });
  const path = process.env.MILLBASE_BUNDLE;
  const bundle = await readFile(path);
  const server = createServer((request, response) => {
    const [, start, end] = /bytes=(\d+)-(\d+)/.exec(request.headers.range);
    const part = bundle.subarray(Number(start), Number(end) + 1);
    response.writeHead(206, { "Content-Range": `bytes ${start}-${Number(start) + part.length - 1}/${bundle.length}` }).end(part);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const found = new Set();
  for (const source of [bundle, new Blob([bundle]), pathToFileURL(path), `http://127.0.0.1:${server.address().port}/`]) {
    const mill = await open({ rules, bundle: source, decodedBytes: 1 << 20 });
    assert.deepEqual(mill.pairs(), ["3-3", "4-3"]);
    found.add(JSON.stringify(await mill.probe(fen)));
    mill.close();
  }
  server.close();
  assert.equal(found.size, 1);
  await assert.rejects(open({ rules, bundle: bundle.subarray(0, 1000) }), { code: "corrupt" });
  await assert.rejects(open({ rules, bundle: bytes["3-3.mill"] }), { code: "corrupt" });
  await assert.rejects(open({ rules, bundle: new Uint8Array(3) }), { code: "corrupt" });
});

test("databases have positions with stones in hand", async () => {
  const mill = await open({ rules: { base: "lasker", stones: 3 }, bundle: await readFile(process.env.MILLBASE_HANDS) });
  assert.ok(mill.pairs().includes("0-0+3-3"));
  const start = "********/********/******** w p p 0 3 0 3 0 0";
  const { wdl, dtw, turns } = await mill.answer(start);
  assert.deepEqual([wdl, dtw, turns[0].dtw], ["win", 23, 23]);
  const after = await mill.probe("********/******O*/*****@O* b p p 2 1 1 2 0 0");
  assert.deepEqual([after.wdl, after.dtw], ["loss", 20]);
  mill.close();
});

async function checkRow(mill, row) {
  const answer = await mill.answer(row.fen);
  const message = row.fen;
  assert.equal(answer.position, row.fen, message);
  assert.deepEqual([answer.wdl, answer.dtw, answer.phase], [row.wdl, row.dtw, row.phase], message);
  assert.equal(answer.turns.length, row.turns, message);
  const { turns } = mill.position(row.fen);
  assert.deepEqual(answer.turns.map((turn) => turn.turn).sort(), [...turns].sort(), message);
  assert.deepEqual(await mill.probe(row.fen), { wdl: row.wdl, dtw: row.dtw }, message);
  if (row.best) {
    assert.equal(answer.turns[0].turn, row.best, message);
    assert.equal(answer.turns[0].position, mill.play(row.fen, row.best), message);
  }
}

test("a thousand positions from the embedded databases", async () => {
  const mill = await open();
  assert.equal(table.length, 1000);
  assert.equal(mill.pairs().length, 6);
  for (const row of table) {
    await checkRow(mill, row);
  }
  mill.close();
});

for (const [kind, files] of [
  ["ArrayBuffer", () => Object.fromEntries(NAMES.map((n) => [n, bytes[n].buffer.slice(bytes[n].byteOffset, bytes[n].byteOffset + bytes[n].length)]))],
  ["Buffer", () => bytes],
  ["File", () => Object.fromEntries(NAMES.map((name) => [name, new File([bytes[name]], name)]))],
  ["file: URL", () => Object.fromEntries(NAMES.map((name, at) => [name, [new URL(name, folder), new URL(name, folder).href, { url: new URL(name, folder) }][at % 3]]))],
  ["URL with ranges", urls],
]) {
  test(`positions from ${kind}`, async () => {
    log.length = 0;
    const mill = await open({ files: files() });
    // The heads of the files have not come; no answer is a built-in one.
    assert.equal(mill.pairs().length, 6);
    for (const row of table.filter((_, at) => at % 4 === 0)) {
      await checkRow(mill, row);
    }
    if (kind === "URL with ranges") {
      assert.ok(log.length > 10 && log.every((range) => range.startsWith("bytes=")), log[0]);
      // What was fetched stays: nothing is asked for twice.
      const requests = log.length;
      assert.equal(new Set(log).size > 5, true);
      await checkRow(mill, table[0]);
      assert.equal(log.length, requests);
    }
    mill.close();
  });
}

test("pairs are those that are built in or named, before anything is read", async () => {
  const built = ["3-3", "4-3", "5-3", "4-4", "6-3", "5-4"];
  const none = { size: 100, read: () => Promise.reject(new Error("none")) };
  assert.deepEqual((await open()).pairs(), built);
  const mill = await open({ files: { "9-8.mill": none, "5-4.mill": none, "placing-17.mill": none } });
  assert.deepEqual(mill.pairs(), [...built, "9-8"]);
});

test("few rounds, all ranges of a round at the same time", async () => {
  let running = 0, most = 0, reads = 0;
  const delayed = (name) => ({
    size: bytes[name].length,
    async read(start, length) {
      running += 1;
      reads += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running -= 1;
      return bytes[name].subarray(start, start + length);
    },
  });
  const mill = await open({ files: Object.fromEntries(NAMES.map((name) => [name, delayed(name)])) });
  const answer = await mill.answer("O@*O*O**/*@**O***/@**@**O* w m s 5 0 4 0 0 0");
  assert.equal(answer.turns.length > 3, true);
  assert.ok(reads >= 2 && reads <= 12, `${reads} reads`);
  // Both pairs of a question are asked for at once where a turn can capture.
  const line = await mill.line(WIN);
  assert.deepEqual([line.turns.length, line.end], [21, "over"]);
  assert.ok(most >= 1);
});

test("a source of one's own gives a buffer or a view, or is refused", async () => {
  const name = "4-3.mill";
  const whole = Uint8Array.from(bytes[name]);
  const from = (read) => open({ files: { [name]: { size: whole.length, read: async (start, length) => read(whole.slice(start, start + length)) } } });
  const aligned = (part) => new DataView(Uint8Array.of(0, ...part).buffer, 1);
  for (const read of [(part) => part.buffer, (part) => Buffer.from(part), aligned, (part) => new Int8Array(part.buffer)]) {
    assert.equal((await (await from(read)).answer(WIN)).dtw, 21);
  }
  const foreign = runInNewContext("(numbers) => Uint8Array.from(numbers).buffer");
  assert.equal((await (await from((part) => foreign(Array.from(part)))).answer(WIN)).dtw, 21);
  for (const [wrong, found] of [
    [() => undefined, "Undefined"],
    [(part) => "x".repeat(part.length), "String"],
    [(part) => Array.from(part), "Array"],
    [(part) => new Blob([part]), "Blob"],
    [(part) => new SharedArrayBuffer(part.length), "SharedArrayBuffer"],
    [(part) => ({ byteLength: part.length }), "Object"],
  ]) {
    const sentence = `read of ${name} must give an ArrayBuffer or a view of one, such as a Uint8Array, but gave ${found}`;
    await assert.rejects((await from(wrong)).answer(WIN), { name: "MillbaseError", code: "source", message: sentence });
  }
  await assert.rejects((await from((part) => part.subarray(1))).answer(WIN), { code: "source", message: /before byte/ });
  await assert.rejects((await from(() => Promise.reject(new RangeError("own")))).answer(WIN), RangeError);
});

test("a file: URL that cannot be read, or whose file is replaced", async () => {
  const at = await mkdtemp(`${tmpdir()}/millbase-`);
  const url = pathToFileURL(`${at}/4-3.mill`);
  const refused = (work, why) => assert.rejects(work, { code: "source", message: new RegExp(`^4-3.mill cannot be read from file:///.*: ${why}`) });
  await refused(open({ files: { "4-3.mill": url } }), "ENOENT");
  await writeFile(url, bytes["4-3.mill"]);
  const mill = await open({ files: { "4-3.mill": url } });
  assert.equal((await mill.answer(WIN)).dtw, 21);
  const replaced = await open({ files: { "4-3.mill": url } });
  await writeFile(url, bytes["4-4.mill"]);
  await refused(replaced.answer(WIN), "it was replaced meanwhile; open the databases again");
  await rm(url);
  await refused(replaced.answer(WIN), "ENOENT");
  await rm(at, { recursive: true });
});

test("a path is no URL: one sentence, no request", async () => {
  const plain = globalThis.fetch;
  let requests = 0;
  globalThis.fetch = (...args) => (requests++, plain(...args));
  try {
    for (const path of ["db/9-8.mill", "/srv/9-8.mill", "C:\\db\\9-8.mill", "c:/db/9-8.mill", ""]) {
      for (const source of [path, { url: path, size: 1000 }]) {
        const sentence = `9-8.mill cannot be read: '${path}' is not a URL; name a file on the disk by its file: URL, as pathToFileURL from node:url makes it`;
        await assert.rejects(open({ files: { "9-8.mill": source } }), { name: "MillbaseError", code: "source", message: sentence });
      }
    }
    // The entry for browsers reads nothing from the disk.
    const { open: openInBrowser } = await import(new URL("index.js", pkg));
    const sentence = "9-8.mill cannot be read: only Node reads file: URLs; give a browser the File itself";
    await assert.rejects(openInBrowser({ files: { "9-8.mill": new URL("9-8.mill", folder) } }), { code: "source", message: sentence });
    assert.equal(requests, 0);
  } finally {
    globalThis.fetch = plain;
  }
});

test("a source that shrinks is refused", async () => {
  // So small a file is fetched whole, and the bytes beyond its new end never come.
  const whole = Uint8Array.from(bytes["4-3.mill"]);
  const source = { size: 16384, read: async (start, length) => whole.slice(start, start + length) };
  const mill = await open({ files: { "4-3.mill": source } });
  source.size = 10;
  const sentence = "4-3.mill gives no bytes from byte 0 on: its size has changed; open the databases again";
  await assert.rejects(mill.answer(WIN), { name: "MillbaseError", code: "source", message: sentence });
});

test("values in bulk", async () => {
  const mill = await open({ files: urls() });
  const rows = table.filter((row) => row.phase !== "placing" && !row.fen.includes(" r "));
  assert.ok(rows.length > 800);
  const positions = rows.map((row) => mill.position(row.fen));
  const white = positions.map((position) => position.white);
  const black = positions.map((position) => position.black);
  const side = positions.map((position) => Number(position.side_to_move === "black"));
  const { wdl, dtw } = await mill.probeMany(white, black, side);
  rows.forEach((row, at) => {
    assert.equal(wdl[at], { win: 1, draw: 0, loss: -1 }[row.wdl]);
    assert.equal(dtw[at], row.dtw ?? -1);
  });
  const wrong = (args, sentence) => assert.rejects(mill.probeMany(...args), { name: "MillbaseError", code: "invalid", message: sentence });
  await wrong([[7], [56], [0, 0]], /differ in length/);
  await wrong([[7, 7], [56, 7], [0, 0]], /index 1 .* share points/);
  await wrong([[-1], [56], [0]], /whole numbers/);
  await wrong([[1.5], [56], [0]], /whole numbers/);
  await wrong([[7], [56], [9]], /side to move is 9/);
  await wrong([[0], [56], [0]], /has 0 stones/);
});

test("rules and a player without any file", async () => {
  const mill = await open();
  let fen = mill.start();
  const turns = [];
  assert.equal(mill.position(fen).turns.length, 24);
  for (let ply = 0; ply < 24; ply++) {
    const { turn } = await mill.choose(mill.start(), { turns, level: 6, seed: 3, milliseconds: 100 });
    assert.ok(mill.position(fen).turns.includes(turn), turn);
    fen = mill.play(fen, turn);
    turns.push(turn);
  }
  const again = await mill.choose(mill.start(), { turns: turns.slice(0, 5), level: 6, seed: 3, milliseconds: 0 });
  assert.equal(again.turn, turns[5]);
  const begin = Date.now();
  const choice = await mill.choose(mill.start(), { milliseconds: 300 });
  assert.ok(choice.depth >= 1 && choice.nodes > 100 && choice.line[0] === choice.turn);
  assert.ok(Date.now() - begin < 60_000);
  const perfect = await mill.choose(WIN);
  assert.deepEqual([perfect.turn, perfect.known], ["a1-e4", { wdl: "win", dtw: 21 }]);
  const over = table.find((row) => row.phase === "over");
  assert.equal((await mill.choose(over.fen)).turn, null);
  await assert.rejects(mill.choose(mill.start(), { turns: ["a7", "a7"] }), { code: "invalid", message: /a7/ });
  const ten = await open({ rules: "ten" });
  assert.equal(ten.position(ten.start()).white_in_hand, 10);
});

test("how many positions of a pair have which value", async () => {
  const mill = await open({ files: { "4-3.mill": bytes["4-3.mill"] } });
  // The published counts are of all placements; these are of those that differ under the symmetries.
  const { tables } = await mill.ask("stats", { pair: "4-3" });
  assert.deepEqual(tables.map(({ to_move, positions }) => [to_move, positions]), [[4, 760_398], [3, 760_398]]);
  const sums = tables.map(({ histogram }) => histogram.reduce((sum, { positions }) => sum + positions, 0));
  assert.deepEqual(sums, tables.map(({ positions }) => positions));
  assert.equal(tables[1].max_win, 33);
  await assert.rejects(mill.ask("stats", { pair: "9-9" }), { code: "missing" });
});

test("rules by their name, the text of a file, or settings", async () => {
  const own = async (rules) => (await (await open({ rules })).ask("rulesets", {})).own;
  for (const name of ["standard", "standard-100", "no-flying", "ten", "lasker", "twelve", "morabaraba", "dooz"]) {
    const named = await own(name);
    assert.equal(named.name, name);
    const { name: _, ...settings } = named;
    assert.deepEqual(await own(settings), named);
    assert.deepEqual(await own(`# by its name\nbase = "${name}"\n`), named);
  }
  const expected = { ...(await own("twelve")), name: null, stones: 11, blocked: "passes" };
  assert.deepEqual(await own('base = "twelve"\nstones = 11\nblocked = "passes"'), expected);
  assert.deepEqual(await own({ base: "twelve", stones: 11, blocked: "passes", flying: null }), expected);
  const mill = await open({ rules: { stones: 4 }, files: { "4-3.mill": bytes["4-3.mill"] } });
  assert.equal(mill.position(mill.start()).white_in_hand, 4);
  for (const [rules, message] of [
    ["stones = 9\nflyin = 3", /^the rules, line 2: unknown field `flyin`/],
    ["stones = 13", /^the rules, line 1: stones must be from 3 to 12$/],
    [{ stones: 13 }, /^the rules: stones must be from 3 to 12$/],
    [{ flyin: 3 }, /^the rules: flyin: unknown field/],
    ["", /^the rules '' cannot be used: there are no such rules, only standard, .* and settings$/],
    [null, /no such rules, only standard/],
    [[], /no such rules, only standard/],
    [3, /^the rules must be a text$/],
  ]) {
    await assert.rejects(open({ rules }), { name: "MillbaseError", code: "invalid", message });
  }
});

test("a signal ends a search soon, and other questions run between", async () => {
  const mill = await open();
  for (const search of [
    (signal) => mill.choose(mill.start(), { milliseconds: 3000, signal }),
    (signal) => mill.choose(mill.start(), { milliseconds: Infinity, nodes: 1e9, signal }),
    (signal) => mill.ask("play", { fen: "start", movetime: 3000 }, { signal }),
  ]) {
    const begin = Date.now();
    const ended = assert.rejects(search(AbortSignal.timeout(100)), { name: "TimeoutError" });
    assert.equal((await mill.answer(WIN)).dtw, 21);
    assert.ok(Date.now() - begin < 100, "the answer waits for the search");
    await ended;
    assert.ok(Date.now() - begin < 1000, `${Date.now() - begin} ms`);
  }
  // Without an end, the limits hold.
  const { signal } = new AbortController();
  const begin = Date.now();
  const { turn, depth, line } = await mill.choose(mill.start(), { milliseconds: 300, signal });
  assert.ok(depth >= 3 && line[0] === turn && Date.now() - begin >= 300 && Date.now() - begin < 3000);
  const { nodes } = await mill.choose(mill.start(), { milliseconds: 0, nodes: 100_000, signal });
  assert.ok(nodes >= 100_000 && nodes < 110_000, `${nodes}`);
  assert.equal((await mill.choose(mill.start(), { milliseconds: 0, depth: 5, signal })).depth, 5);
  assert.equal((await mill.choose(WIN, { signal })).turn, "a1-e4");
  // A search that is going on ends with the databases.
  const closed = assert.rejects(mill.choose(mill.start(), { milliseconds: 3000, signal }), { code: "invalid" });
  mill.close();
  await closed;
});

test("only open makes a Millbase", async () => {
  for (const args of [[], [{}, new Map(), 0], [Symbol("own"), {}, new Map(), 0]]) {
    assert.throws(() => new Millbase(...args), { name: "TypeError", message: "new Millbase() opens nothing; await open() makes a Millbase" });
  }
  const mill = await open();
  assert.ok(mill instanceof Millbase);
  mill[Symbol.dispose]();
  assert.throws(() => mill.start(), { code: "invalid" });
});

test("numbers that are none, or out of range, are refused", async () => {
  const mill = await open({ cacheBytes: Infinity });
  assert.equal((await mill.line(WIN, { limit: Infinity })).turns.length, 21);
  assert.equal((await mill.line(WIN, { limit: 2 ** 32 })).turns.length, 21);
  assert.deepEqual(await mill.line(WIN, { limit: 0 }), { turns: [], end: "limit" });
  assert.equal((await mill.choose(WIN, { milliseconds: Infinity, nodes: Infinity, depth: Infinity })).turn, "a1-e4");
  assert.equal(await mill.prefetch(WIN, { turns: Infinity, bytes: Infinity }), true);
  const begin = Date.now();
  await mill.choose(mill.start(), { milliseconds: 0.4 });
  assert.ok(Date.now() - begin < 5_000);
  const refused = (work, sentence) => assert.rejects(work, { name: "MillbaseError", code: "invalid", message: sentence });
  for (const wrong of [NaN, -1, 1.5, -Infinity, "3", null, 3n, {}]) {
    await refused(mill.line(WIN, { limit: wrong }), /^limit must be a whole number from 0 to \d+, but is /);
    await refused(mill.prefetch(WIN, { turns: wrong }), /^turns must be/);
    await refused(mill.prefetch(WIN, { bytes: wrong }), /^bytes must be/);
    for (const name of ["level", "seed", "nodes", "depth"]) {
      await refused(mill.choose(WIN, { [name]: wrong }), new RegExp(`^${name} must be`));
    }
    await refused(open({ cacheBytes: wrong }), /^cacheBytes must be/);
    await refused(open({ files: { "4-3.mill": { url: base, size: wrong ?? NaN } } }), /^the size of 4-3.mill must be/);
    await refused(open({ files: { "4-3.mill": { url: base, size: 1, head: wrong ?? NaN } } }), /^the head of 4-3.mill must be/);
  }
  for (const wrong of [NaN, -1, -0.5, -Infinity, null, "3", 3n]) {
    await refused(mill.choose(WIN, { milliseconds: wrong }), /^milliseconds must be/);
  }
  for (const level of [31, 256, 300]) {
    await refused(mill.choose(WIN, { level }), /^level must be a whole number from 0 to 30, but is/);
  }
  for (const seed of [2 ** 32, Infinity]) {
    await refused(mill.choose(WIN, { seed }), /^seed must be a whole number from 0 to 4294967295, but is/);
  }
  for (const wrong of [NaN, Infinity]) {
    await refused(mill.ask("line", { fen: WIN, limit: wrong }), /^limit must be a number, but is/);
  }
});

test("after close, questions are refused", async () => {
  let give;
  const given = new Promise((resolve) => (give = resolve));
  const whole = bytes["4-3.mill"];
  const read = (start, length) => given.then(() => whole.subarray(start, start + length));
  const mill = await open({ files: { "4-3.mill": { size: whole.length, read } } });
  const closed = { name: "MillbaseError", code: "invalid", message: "the databases are closed; open them again" };
  const waiting = assert.rejects(mill.answer(WIN), closed);
  mill.close();
  mill.close();
  give();
  await waiting;
  for (const ask of [() => mill.start(), () => mill.pairs(), () => mill.position(WIN), () => mill.play(WIN, "a1-e4")]) {
    assert.throws(ask, closed);
  }
  const lists = [[7], [56], [0]];
  for (const ask of [mill.probe(WIN), mill.answer(WIN), mill.line(WIN), mill.prefetch(WIN), mill.choose(WIN), mill.probeMany(...lists)]) {
    await assert.rejects(ask, closed);
  }
});

test("a module that cannot be loaded", async () => {
  // In this process the module is loaded already.
  const alone = `import { open } from ${JSON.stringify(String(new URL("node.js", pkg)))};
    const part = /^the WebAssembly module cannot be loaded: /;
    for (const wasm of [Uint8Array.of(1, 2, 3), "http://127.0.0.1:1/none.wasm", new URL("none.wasm", import.meta.url)]) {
      await open({ wasm }).then(() => process.exit(1), (error) => {
        if (error.name !== "MillbaseError" || error.code !== "source" || !part.test(error.message)) process.exit(2);
      });
    }
    await open({ wasm: ${JSON.stringify(new URL("core_bg.wasm", pkg))} });`;
  assert.equal(spawnSync(process.execPath, ["--input-type=module", "-e", alone]).status, 0);
});

test("an aborted question rejects, and the next one is answered", async () => {
  const mill = await open({ files: urls() });
  behaviour = { fault: () => "hang" };
  const abort = new AbortController();
  const question = mill.answer(WIN, { signal: abort.signal });
  setTimeout(() => abort.abort(), 50);
  await assert.rejects(question, { name: "AbortError" });
  await assert.rejects(mill.answer(WIN, { signal: AbortSignal.abort() }), { name: "AbortError" });
  await assert.rejects(mill.probe(WIN, { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  behaviour = {};
  assert.equal((await mill.answer(WIN)).dtw, 21);
});

test("hostile input", async () => {
  const mill = await open();
  for (const wrong of ["", "rubbish", "\0", "\ud800", "O".repeat(1e6), WIN.replace(" w ", " x "), "☃ w m s 3 0 3 0 0 0"]) {
    await assert.rejects(mill.probe(wrong), { name: "MillbaseError", code: "invalid" });
    assert.throws(() => mill.position(wrong), { code: "invalid" });
  }
  for (const wrong of [undefined, null, 3, {}, [WIN]]) {
    await assert.rejects(mill.answer(wrong), { code: "invalid", message: /must be a text/ });
    assert.throws(() => mill.play(WIN, wrong), MillbaseError);
  }
  assert.throws(() => mill.play(WIN, "a7-a4"), { code: "invalid", message: /not a legal turn of white/ });
  await assert.rejects(open({ rules: "chess" }), { message: /no such rules, only standard/ });
  await assert.rejects(open({ files: { "4-3.mill": 7 } }), { code: "source" });
  for (const name of ["db/4-3.mill", "3-4.mill", "4-3", "4-3.MILL", "10-3.mill", "placing-18.mill", "placing-1.mill.gz", ""]) {
    const message = `no file of these rules is named ${name}; name the files as 9-8.mill, the larger number first, or placing-14.mill`;
    await assert.rejects(open({ files: { "4-4.mill": bytes["4-4.mill"], [name]: base + name } }), { code: "invalid", message });
  }
  const ten = { "10-3.mill": bytes["4-3.mill"], "placing-19.mill": bytes["4-3.mill"] };
  assert.equal((await open({ rules: "ten", files: ten })).position(WIN).phase, "flying");
  await assert.rejects(mill.probe("O*O*O*O*/O*O*O***/@*@*@*@* w m s 7 0 4 0 0 0"), { code: "missing", message: /7-4\.mill/ });
  const whole = bytes["4-3.mill"];
  for (const cut of [0, 1, 39, 9000, whole.length - 1]) {
    const damaged = await open({ files: { "4-3.mill": whole.subarray(0, cut) } });
    await assert.rejects(damaged.answer(WIN), { code: "corrupt", message: /4-3.mill is corrupted/ }, `${cut}`);
    assert.equal((await damaged.answer(table.find((row) => row.fen.includes(" 3 0 3 0 ")).fen)).version, 1);
  }
  for (let at = 0; at < 40; at++) {
    const damaged = Uint8Array.from(whole);
    damaged[(at * 7919) % damaged.length] ^= 1 << at % 8;
    const mill = await open({ files: { "4-3.mill": damaged } });
    try {
      assert.equal((await mill.answer(WIN)).dtw, 21);
    } catch (error) {
      assert.ok(error instanceof MillbaseError, error);
    }
    mill.close();
  }
});

test("the package has no link that leads nowhere", async () => {
  const page = await readFile(new URL("README.md", pkg), "utf8");
  assert.match(page, /^# millbase for JavaScript/);
  const links = [...page.matchAll(/\]\(([^)]*)\)/g)].map(([, link]) => link);
  assert.deepEqual(links.filter((link) => !link.startsWith("https://")), []);
});

test("the version is the crate's, the package is small", async () => {
  const manifest = await readFile(new URL("../../../Cargo.toml", import.meta.url), "utf8");
  assert.ok(manifest.includes(`\nversion = "${await version()}"\n`));
  assert.equal(JSON.parse(await readFile(new URL("package.json", pkg))).version, await version());
  const module = await readFile(new URL("core_bg.wasm", pkg));
  // The embedded files are compressed already: what they take is taken off.
  const embedded = NAMES.reduce((sum, name) => sum + brotliCompressSync(bytes[name]).length, 0);
  const rest = gzipSync(module).length - embedded;
  console.log(`module ${module.length} bytes, gzip ${gzipSync(module).length}, without databases about ${rest}`);
  assert.ok(rest < 700_000, `${rest}`);
});
