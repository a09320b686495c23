// Databases in a worker of Node: the same answers as without one, and ends that come at once.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, test } from "node:test";
import { Worker } from "node:worker_threads";

const pkg = new URL(process.env.PKG ? `file://${process.env.PKG}/` : "../pkg/", import.meta.url);
const { connect, WorkerMillbase } = await import(new URL("client.js", pkg));
const { open, MillbaseError } = await import(new URL("node.js", pkg));

const folder = new URL("../../../db/", import.meta.url);
const WIN = "***O**@*/*O@***@*/**@**O** w m s 3 0 4 0 0 0";
const worker = new Worker(new URL("node-worker.js", pkg));
after(() => worker.terminate());

test("all questions are answered as without a worker", async () => {
  const bytes = await readFile(new URL("4-4.mill", folder));
  const files = { "4-3.mill": new URL("4-3.mill", folder), "5-4.mill": { url: new URL("5-4.mill", folder) }, "4-4.mill": new Blob([bytes]) };
  const [near, far] = [await open({ files }), await connect(worker, { files })];
  for (const [call, ...args] of [
    ["start"],
    ["pairs"],
    ["position", WIN],
    ["play", WIN, "a1-e4"],
    ["probe", WIN],
    ["answer", WIN],
    ["ask", "rank", { fen: WIN }],
    ["prefetch", WIN, { turns: 1 }],
    ["line", WIN, { limit: 3 }],
    ["probeMany", [7], [56], [0]],
    ["choose", WIN, { seed: 3 }],
    ["choose", near.start(), { turns: ["d6"], level: 3, milliseconds: 0 }],
  ]) {
    assert.deepEqual(await far[call](...args), await near[call](...args), call);
  }
  // Another one in the same worker.
  const ten = await connect(worker, { rules: "ten" });
  assert.equal((await ten.position(await ten.start())).white_in_hand, 10);
  assert.equal((await far.position(await far.start())).white_in_hand, 9);
  ten.close();
  assert.equal((await far.answer(WIN)).dtw, 21);
});

test("a signal ends a search at once, in the worker soon", async () => {
  const mill = await connect(worker);
  const begin = Date.now();
  const search = mill.choose(await mill.start(), { milliseconds: 5000, signal: AbortSignal.timeout(100) });
  const ended = assert.rejects(search, { name: "TimeoutError" });
  // Questions do not wait for the search.
  assert.equal((await mill.answer(WIN)).dtw, 21);
  await ended;
  assert.ok(Date.now() - begin < 1000, `${Date.now() - begin} ms`);
  assert.equal((await mill.choose(await mill.start(), { milliseconds: 100 })).line.length > 0, true);
  assert.ok(Date.now() - begin < 3000, `${Date.now() - begin} ms`);
  await assert.rejects(mill.answer(WIN, { signal: AbortSignal.abort(new RangeError("own")) }), RangeError);
});

test("errors come as without a worker", async () => {
  const mill = await connect(worker);
  await assert.rejects(mill.answer("rubbish"), (error) => error instanceof MillbaseError && error.code === "invalid" && error.reason !== undefined);
  await assert.rejects(mill.choose(WIN, { level: 31 }), { name: "MillbaseError", code: "invalid", message: /^level must be/ });
  await assert.rejects(mill.choose(WIN, { turns: 3 }), TypeError);
  await assert.rejects(connect(worker, { rules: "chess" }), { name: "MillbaseError", code: "invalid" });
  const own = { size: 3, read: async () => new Uint8Array(3) };
  const sentence = "4-3.mill has a read of your own, which cannot go to a worker; name bytes, a File or a URL";
  await assert.rejects(connect(worker, { files: { "4-3.mill": own } }), { code: "source", message: sentence });
  await assert.rejects(connect(worker, { files: { "9-8.mill": "db/9-8.mill" } }), { code: "source", message: /is not a URL/ });
  await assert.rejects(connect(undefined), { name: "TypeError", message: /^connect needs a worker/ });
  assert.throws(() => new WorkerMillbase(), { name: "TypeError", message: /await connect\(worker\)/ });
});

test("after close, questions are refused", async () => {
  const mill = await connect(worker);
  const closed = { name: "MillbaseError", code: "invalid", message: "the databases are closed; open them again" };
  const waiting = assert.rejects(mill.choose(await mill.start(), { milliseconds: 5000 }), closed);
  mill.close();
  mill[Symbol.dispose]();
  await waiting;
  await assert.rejects(mill.start(), closed);
});

test("a worker that fails ends what waits", async () => {
  const failing = new Worker("setTimeout(() => { throw new Error('own') }, 50)", { eval: true });
  await assert.rejects(connect(failing), { name: "MillbaseError", code: "system", message: "the worker has failed: own" });
  const ended = new Worker(new URL("node-worker.js", pkg));
  const mill = await connect(ended);
  const waiting = mill.choose(await mill.start(), { milliseconds: 5000 });
  void ended.terminate();
  const end = { code: "system", message: "the worker has failed: it has ended" };
  await assert.rejects(waiting, end);
  await assert.rejects(mill.start(), end);
});
