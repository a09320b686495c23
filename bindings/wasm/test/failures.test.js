// Hosts that misbehave: each failure ends in a sentence or is repaired, none gives a wrong value.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { Readable } from "node:stream";
import { after, before, beforeEach, test } from "node:test";
import { gzipSync } from "node:zlib";

const pkg = new URL(process.env.PKG ? `file://${process.env.PKG}/` : "../pkg/", import.meta.url);
const { open } = await import(new URL("node.js", pkg));

// 5-4 is too large to be fetched whole at the first request, and its captures need other files, which are embedded.
const NAME = "5-4.mill";
const WHOLE = await readFile(new URL(`../../../db/${NAME}`, import.meta.url));
const HEAD = WHOLE.readUInt32LE(12);
const lines = (await readFile(new URL("../../positions.csv", import.meta.url), "utf8")).trim().split("\n").slice(2);
const rows = lines.map((line) => line.split(",")).filter(([fen]) => / [ms] (5 0 4|4 0 5) 0 0/.test(fen));
assert.ok(rows.length > 30, `${rows.length} positions`);

/** What the server does with a request, after counting it: an object that overrides what a good server does. */
let behaviour, requests, caches;
let server, url;
before(async () => {
  server = createServer((request, response) => {
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range).map(Number);
    const number = requests++;
    const fault = behaviour({ number, first, last }) ?? {};
    const { whole = WHOLE, headers = { ETag: '"one"' }, change, status = 206, cut, pieces, from = first, endless } = fault;
    if (endless) {
      response.writeHead(206, { ...headers, "Content-Range": `bytes ${first}-${last}/${whole.length}` });
      return Readable.from(endless()).on("error", () => undefined).pipe(response);
    }
    if (status === 200 && pieces) {
      // Without its length.
      response.writeHead(200, headers).flushHeaders();
      pieces.forEach((piece) => response.write(piece));
      return cut ? setTimeout(() => response.destroy(), 20) : response.end();
    }
    if (status === 200) {
      return response.writeHead(200, { ...headers, "Content-Length": whole.length }).end(whole);
    }
    if (status !== 206) {
      return response.writeHead(status).end();
    }
    const end = Math.min(last + 1, whole.length);
    let part = Buffer.from(whole.subarray(from, end));
    part = change?.(part) ?? part;
    response.writeHead(206, { ...headers, "Content-Range": `bytes ${from}-${end - 1}/${whole.length}`, "Content-Length": part.length });
    if (!cut) return response.end(part);
    response.write(part.subarray(0, part.length >> 1));
    setTimeout(() => response.destroy(), 5);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${server.address().port}/${NAME}`;
  const plain = globalThis.fetch;
  globalThis.fetch = (address, options) => {
    if (String(address) === url) caches.push(options.cache);
    return plain(address, options);
  };
});
after(() => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  [behaviour, requests, caches] = [() => undefined, 0, []];
});

const fresh = (file = { url, size: WHOLE.length, head: HEAD }) => open({ files: { [NAME]: file } });

/** Asks about positions: all values must be right. */
async function right(mill, some = rows) {
  for (const [fen, wdl, dtw, turns] of some) {
    const answer = await mill.answer(fen);
    assert.deepEqual([answer.wdl, answer.dtw, answer.turns.length], [wdl, dtw === "" ? null : Number(dtw), Number(turns)], fen);
  }
}

/** Asks about positions: each answer must be right or a failure with this code and sentence; returns the number of failures. */
async function rightOr(mill, code, sentence) {
  let failures = 0;
  for (const row of rows) {
    try {
      await right(mill, [row]);
    } catch (error) {
      assert.match(error.code ?? String(error), new RegExp(`^(${code})$`));
      assert.match(error.message, sentence);
      failures += 1;
    }
  }
  return failures;
}

test("a good host: heads and pages, then rows", async () => {
  const mill = await fresh();
  assert.equal(requests, 0);
  await right(mill);
  assert.ok(requests > 10);
  assert.ok(caches.every((cache) => cache === "no-store"));
  const before = requests;
  await right(mill);
  assert.equal(requests, before);
  // Without size and head, opening asks for both.
  const asked = await fresh(url);
  assert.equal(requests, before + 1);
  await right(asked);
});

test("a wrong length of the head costs time, not truth", async () => {
  for (const head of [1, 40, HEAD - 1, HEAD + 1, 5000, 2 ** 32 - 1]) {
    await right(await fresh({ url, size: WHOLE.length, head }), rows.slice(0, 5));
  }
});

test("a host without ranges: small files are loaded whole, once", async () => {
  behaviour = () => ({ status: 200 });
  for (const file of [{ url, size: WHOLE.length, head: HEAD }, url]) {
    requests = 0;
    const mill = await fresh(file);
    await right(mill);
    assert.ok(requests <= 3, `${requests} requests`);
  }
});

test("a host without ranges that does not say the size: small files are loaded whole, once", async () => {
  const half = WHOLE.length >> 1;
  for (const answer of [
    { pieces: [WHOLE.subarray(0, half), WHOLE.subarray(half)] },
    { pieces: [gzipSync(WHOLE)], headers: { "Content-Encoding": "gzip" } },
  ]) {
    behaviour = () => ({ status: 200, ...answer });
    for (const file of [{ url, size: WHOLE.length, head: HEAD }, url]) {
      requests = 0;
      await right(await fresh(file));
      assert.ok(requests <= 3, `${requests} requests`);
    }
  }
  // A connection that is cut is tried again.
  behaviour = ({ number }) => ({ status: 200, pieces: [WHOLE], cut: number < 1 });
  requests = 0;
  await right(await fresh(url), rows.slice(0, 5));
  assert.equal(requests, 2);
  // A large file is refused, once more than 4 MiB have come.
  behaviour = () => ({ status: 200, pieces: [Buffer.alloc(4 << 20), Buffer.alloc(1)] });
  await assert.rejects(fresh(url), { code: "source", message: /its server does not answer ranges; put the file on a host that does/ });
  behaviour = () => ({ status: 200, pieces: [gzipSync(Buffer.alloc(50 << 20))], headers: { "Content-Encoding": "gzip" } });
  await assert.rejects(fresh(url), { code: "source", message: /its server does not answer ranges/ });
});

test("a host without ranges: large files are refused", async () => {
  behaviour = () => ({ status: 200, whole: Buffer.alloc(5 << 20) });
  const sentence = /5-4.mill cannot be fetched from http.*: its server does not answer ranges; put the file on a host that does/;
  assert.equal(await rightOr(await fresh({ url, size: 5 << 20 }), "source", sentence), rows.length);
  await assert.rejects(fresh(url), { code: "source", message: sentence });
});

test("a host without ranges: a small file of another size was replaced", async () => {
  behaviour = () => ({ status: 200, whole: WHOLE.subarray(1) });
  const sentence = /has 94196 bytes there instead of 94197: it was replaced; open the databases again/;
  assert.equal(await rightOr(await fresh(), "source", sentence), rows.length);
});

for (const [by, old, now] of [
  ["ETag", { ETag: '"one"' }, { ETag: '"two"' }],
  ["Last-Modified", { "Last-Modified": "Sun, 22 Nov 2026 10:00:00 GMT" }, { "Last-Modified": "Sun, 22 Nov 2026 10:00:01 GMT" }],
]) {
  test(`a file replaced meanwhile, seen by ${by}`, async () => {
    const replaced = Buffer.from(WHOLE).fill(7, HEAD);
    let version = { headers: old };
    behaviour = () => version;
    const mill = await fresh();
    await right(mill, rows.slice(0, 3));
    version = { headers: now, whole: replaced };
    const before = requests;
    const failures = await rightOr(mill, "source", /it was replaced on its server meanwhile; open the databases again/);
    assert.ok(failures > 10 && failures < rows.length, `${failures}`);
    // A sentence, not a second try.
    assert.ok(requests - before <= 6 * failures);
    // Opened again it is the new version, here one that is damaged.
    assert.equal(await rightOr(await fresh(), "corrupt", /5-4.mill is corrupted/), rows.length);
    version = { headers: now };
    await right(await fresh());
  });
}

test("a file replaced meanwhile, seen by its size", async () => {
  const mill = await fresh();
  await right(mill, rows.slice(0, 3));
  behaviour = () => ({ headers: {}, whole: Buffer.concat([WHOLE, Buffer.alloc(9)]) });
  assert.ok((await rightOr(mill, "source", /has 94206 bytes there instead of 94197: it was replaced/)) > 10);
  behaviour = () => ({ status: 416 });
  assert.ok((await rightOr(mill, "source", /has fewer bytes there instead of 94197: it was replaced/)) > 10);
});

test("a file replaced meanwhile, seen by nothing but its checksums", async () => {
  behaviour = () => ({ headers: {} });
  const mill = await fresh();
  await right(mill, rows.slice(0, 3));
  const moved = Buffer.from(WHOLE);
  WHOLE.copy(moved, HEAD + 3000, HEAD + 3001);
  behaviour = () => ({ headers: {}, whole: moved });
  assert.ok((await rightOr(mill, "corrupt", /5-4.mill is corrupted .* \(its bytes were fetched twice\)/)) > 10);
});

test("the mark of a weak ETag says nothing", async () => {
  behaviour = ({ number }) => ({ headers: { ETag: number % 2 ? 'W/"one"' : '"one"' } });
  await right(await fresh());
});

test("a cut connection and a busy server: two more tries", async () => {
  for (const fault of [{ cut: true }, { status: 503 }, { status: 429 }, { change: (part) => part.subarray(1) }]) {
    requests = 0;
    behaviour = ({ number }) => (number < 1 ? fault : undefined);
    await right(await fresh(), rows.slice(0, 1));
    assert.deepEqual(caches.slice(-requests).filter((cache) => cache === "reload"), ["reload"]);
  }
  for (const [fault, sentence] of [
    [{ cut: true }, /the connection was cut \(.*\), 3 times/],
    [{ status: 503 }, /its server answers 503, 3 times/],
    [{ change: (part) => part.subarray(1) }, /its server gave \d+ instead of \d+ bytes, 3 times/],
  ]) {
    // Other requests of the question may be between two tries when one has failed three times.
    const tries = new Map();
    behaviour = ({ first }) => {
      tries.set(first, (tries.get(first) ?? 0) + 1);
      return fault;
    };
    const mill = await fresh();
    await assert.rejects(mill.answer(rows[0][0]), { name: "MillbaseError", code: "source", message: sentence });
    assert.equal(Math.max(...tries.values()), 3);
    behaviour = () => undefined;
    await right(mill, rows.slice(0, 3));
  }
  await assert.rejects(open({ files: { [NAME]: `http://127.0.0.1:1/${NAME}` } }), { code: "source", message: /the connection failed .*, 3 times/ });
});

test("an aborted question waits for no further try", async () => {
  // However late timers are, this one ends before the first pause, which begins later and is as long.
  let late = false;
  behaviour = () => {
    setTimeout(() => (late = true), 200);
    return { status: 503 };
  };
  const mill = await fresh();
  await assert.rejects(mill.answer(rows[0][0], { signal: AbortSignal.timeout(50) }), { name: "TimeoutError" });
  assert.ok(!late);
});

test("a missing file: one try", async () => {
  behaviour = () => ({ status: 404 });
  const mill = await fresh();
  await assert.rejects(mill.answer(rows[0][0]), { code: "source", message: /its server answers 404$/ });
  assert.ok(requests <= 6, `${requests}`);
  await assert.rejects(fresh(url), { code: "source", message: /its server answers 404$/ });
});

test("bytes of another place", async () => {
  behaviour = ({ first }) => ({ from: first + 1 });
  assert.equal(await rightOr(await fresh(), "source", /gave the bytes from \d+ on instead of those from \d+ on/), rows.length);
});

test("an answer that does not end is read no further than was asked for", async () => {
  let sent = 0;
  const endless = function* () {
    for (; ; sent += 1 << 16) yield Buffer.alloc(1 << 16);
  };
  behaviour = () => ({ endless });
  const sentence = /its server gave more than the \d+ bytes from \d+ on that were asked for$/;
  await assert.rejects((await fresh()).answer(rows[0][0]), { code: "source", message: sentence });
  await assert.rejects(fresh(url), { code: "source", message: sentence });
  // Bytes of another place are no reason to read on either.
  behaviour = ({ first }) => ({ endless, whole: WHOLE.subarray(1), from: first });
  await assert.rejects((await fresh()).answer(rows[0][0]), { code: "source", message: /it was replaced/ });
  const before = sent;
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.equal(sent, before);
  assert.ok(sent < 64 << 20, `${sent} bytes`);
});

test("a question that is ended rejects with the reason, whatever it is", async () => {
  for (const status of [206, 200]) {
    const abort = new AbortController();
    behaviour = () => {
      abort.abort(new RangeError("own"));
      return { status, pieces: [WHOLE.subarray(0, 1000)] };
    };
    await assert.rejects((await fresh()).answer(rows[0][0], { signal: abort.signal }), RangeError);
  }
});

test("damaged bytes are fetched once again", async () => {
  // Every request is damaged the first time.
  const seen = new Set();
  const flip = (part) => {
    part[part.length >> 1] ^= 0x10;
    return part;
  };
  behaviour = ({ first, last }) => {
    const again = seen.has(`${first}-${last}`);
    seen.add(`${first}-${last}`);
    return again ? undefined : { change: flip };
  };
  const mill = await fresh();
  for (let tries = 0; tries < 3; tries++) {
    // A question that meets two damaged rounds says so; the next one is answered.
    await rightOr(mill, "corrupt", /5-4.mill is corrupted .* \(its bytes were fetched twice\)/);
  }
  await right(mill);
  assert.ok(caches.includes("reload"));
  // Damage that stays.
  behaviour = () => ({ change: flip });
  const begin = requests;
  const other = await fresh();
  await assert.rejects(other.answer(rows[0][0]), { code: "corrupt", message: /5-4.mill is corrupted .* \(its bytes were fetched twice\)/ });
  assert.ok(requests - begin <= 12);
  behaviour = () => undefined;
  await right(other, rows.slice(0, 5));
});

test("questions at the same time fetch the same bytes once", async () => {
  const one = await fresh();
  await right(one, rows.slice(0, 1));
  const alone = requests;
  requests = 0;
  const two = await fresh();
  await Promise.all([right(two, rows.slice(0, 1)), right(two, rows.slice(0, 1)), right(two, rows.slice(0, 1))]);
  assert.equal(requests, alone);
  // One that is ended, at whichever of its requests, does not end the others.
  for (let end = 0; end < alone; end++) {
    requests = 0;
    const abort = new AbortController();
    behaviour = ({ number }) => void (number === end && abort.abort());
    const three = await fresh();
    const ended = assert.rejects(three.answer(rows[0][0], { signal: abort.signal }), { name: "AbortError" });
    await Promise.all([right(three, rows.slice(0, 1)), ended]);
  }
});

test("with any one byte of the file damaged, values are right or refused", async () => {
  let refused = 0;
  for (let at = 0; at < 60; at++) {
    const damaged = Buffer.from(WHOLE);
    damaged[(at * 7919 + (at % 4 === 0 ? 0 : HEAD)) % (at % 4 === 0 ? HEAD : damaged.length)] ^= 1 << at % 8;
    behaviour = () => ({ whole: damaged });
    refused += await rightOr(await fresh(), "corrupt|database", /5-4.mill (is corrupted|has format version|was built for)/);
  }
  assert.ok(refused > 15, `${refused}`);
});
