/* The worker of a page on a static host: answers questions with the WebAssembly module. The databases come
   by ranges from the host, or whole from the browser's cache where they are kept on this device. Without
   the host, the embedded and the kept databases answer, and a search plays. */

import { readJson } from "./json.js";
import { open } from "./millbase/index.js";
import { wait } from "./wait.js";

const RETRY = 2000; // ms between attempts to reach the host
const LONGEST = 10_000; // ms for a question, as with the server
const STANDARD = "standard"; // the rules whose databases can be kept
const BUILT_IN = ["3-3", "4-3", "4-4", "5-3", "5-4", "6-3"];
const ROOT = new URL("../../", import.meta.url);
const MODULE = new URL("millbase/core_bg.wasm", import.meta.url);

/* The browser's cache of the databases that are kept on this device. */
const KEPT = "millbase-kept";

/* The manifest of the host: { files: [{ rules, name, path, bytes, head, sha256 }] }. */
let listed = null;

/* Without its list, nothing of a host can be read, so questions wait for it. */
function manifest() {
  listed ??= (async () => {
    for (let isAgain = false; ; isAgain = true) {
      try {
        const found = await readJson("../../manifest.json");
        if (isAgain) postMessage({ lost: null });
        // A list that was read long ago may lack files that are kept since.
        await keepOnly(found.files.filter(({ rules }) => rules === STANDARD)).catch(() => {});
        return found;
      } catch (error) {
        postMessage({ lost: error.message });
        await wait(RETRY);
      }
    }
  })();
  return listed;
}

/* Whether the host is being waited for, and whether it lacked a file though it answered. */
let isLost = false;
let lacksFile = false;

/* Says that the host gives no bytes, and when they can be asked for again. A host that answers but lacks a file is asked once
   more, as it may have been away for a moment. */
async function lose(why) {
  postMessage({ lost: why });
  if (isLost) return;
  isLost = true;
  const [file] = (await manifest()).files;
  // The service worker leaves databases alone, so only the host answers.
  const isThere = () => fetch(urlOf(file), { method: "HEAD", cache: "no-store" }).then(({ ok }) => ok, () => false);
  const isAway = !await isThere();
  const isNew = !isAway && await renew();
  const isOver = lacksFile && !isAway && !isNew;
  lacksFile = !isAway && !isNew;
  if (!isNew && !isOver) do await wait(RETRY); while (!await isThere());
  if (!isOver) postMessage({ lost: null });
  isLost = false;
}

/* Reads the manifest again; returns whether the host has other files now. */
async function renew() {
  const found = await readJson("../../manifest.json").catch(() => null);
  if (!found || JSON.stringify(found) === JSON.stringify(await manifest())) return false;
  listed = Promise.resolve(found);
  opened.clear();
  return true;
}

const files = async rules => (await manifest()).files.filter(file => file.rules === rules);

/* The address of a file. Another version of the file has another address, so no cache mixes two. */
const urlOf = ({ path, sha256 }) => new URL(`${path}?${sha256.slice(0, 16)}`, ROOT).href;

/* By rules: `far` reads the host's databases, `near` only those on this device. */
const opened = new Map();
const running = new Map();

/* Whether databases are kept; a private window may refuse to say. */
const hasKept = async () => Boolean(self.caches) && await caches.has(KEPT).catch(() => false);

async function keptFiles(rules) {
  const kept = {};
  if (!await hasKept()) return kept;
  const cache = await caches.open(KEPT);
  for (const file of await files(rules)) {
    const response = await cache.match(urlOf(file));
    if (response) kept[file.name] = await response.blob();
  }
  return kept;
}

async function openBoth(rules) {
  const kept = await keptFiles(rules);
  const near = await open({ rules, files: kept, wasm: MODULE });
  const listed = await files(rules);
  if (listed.length === 0) return { far: near, near };
  const all = Object.fromEntries(listed.map(file => [file.name, { url: urlOf(file), size: file.bytes, head: file.head }]));
  return { far: await open({ rules, files: { ...all, ...kept }, wasm: MODULE }), near };
}

function both(rules) {
  if (!opened.has(rules)) {
    const opening = openBoth(rules);
    opening.catch(() => opened.delete(rules));
    opened.set(rules, opening);
  }
  return opened.get(rules);
}

/* The pairs of the rules, and the files of the placing phase. */
async function databases(rules) {
  const listed = await files(rules);
  const { far } = await both(rules);
  const { own, named } = await far.ask("rulesets", {});
  const { stones, moves_while_placing: early, removal_while_placing: removal } = named.find(({ name }) => name === rules) ?? own;
  const present = new Set(far.pairs());
  for (const { name } of listed) present.add(name.replace(".mill", ""));
  const pairs = [];
  for (let larger = 3; larger <= stones; larger++) {
    for (let smaller = 3; smaller <= larger; smaller++) pairs.push(`${larger}-${smaller}`);
  }
  // The pair of the empty board needs those of all other positions with stones in hand.
  if (early || removal === "hand") pairs.push(`0-0+${stones}-${stones}`);
  return {
    databases: pairs.map(pair => ({ pair, present: present.has(pair), built_in: BUILT_IN.includes(pair) })),
    placing: listed.filter(({ name }) => name.startsWith("placing")),
  };
}

/* The sizes of all files of the standard rules, and the names of those that are kept. */
async function kept() {
  const all = (await files(STANDARD)).map(({ name, bytes }) => ({ name, bytes }));
  return { all, names: Object.keys(await keptFiles(STANDARD)), possible: Boolean(self.caches) };
}

/* Keeps files of the host on this device, one after the other. */
async function keep({ names }, signal) {
  const cache = await caches.open(KEPT);
  const wanted = [];
  for (const file of await files(STANDARD)) {
    if (names.includes(file.name) && !await cache.match(urlOf(file))) wanted.push(file);
  }
  const bytes = wanted.reduce((sum, file) => sum + file.bytes, 0);
  const { quota, usage } = await navigator.storage.estimate();
  if (quota - usage < bytes) throw { code: "room", message: `there is room for ${quota - usage} bytes` };
  let done = 0;
  try {
    for (const file of wanted) {
      const before = done;
      const response = await fetch(urlOf(file), { signal });
      if (!response.ok) throw { code: "source", message: `${file.name}: the host answers ${response.status}` };
      const counted = new TransformStream({
        transform(piece, controller) {
          done += piece.byteLength;
          postMessage({ kept: { done, bytes } });
          controller.enqueue(piece);
        },
      });
      await cache.put(urlOf(file), new Response(response.body.pipeThrough(counted)));
      if (done - before !== file.bytes) {
        await cache.delete(urlOf(file));
        throw { code: "source", message: `${file.name} has ${done - before} bytes, not ${file.bytes}` };
      }
    }
  } finally {
    opened.clear();
  }
  return kept();
}

/* Removes other versions of these files, and files that the host no longer has. */
async function keepOnly(listed) {
  if (!await hasKept()) return;
  const [cache, addresses] = [await caches.open(KEPT), listed.map(urlOf)];
  for (const request of await cache.keys()) if (!addresses.includes(request.url)) await cache.delete(request);
}

async function forget() {
  await caches.delete(KEPT);
  opened.clear();
  return kept();
}

async function answer(kind, { rules = STANDARD, ...question }, signal) {
  if (kind === "databases") return databases(rules);
  const { far, near } = await both(rules);
  if (far === near) return near.ask(kind, question, { signal });
  const late = AbortSignal.timeout(LONGEST);
  try {
    const found = await far.ask(kind, question, { signal: AbortSignal.any([signal, late]) });
    // While the player thinks, the bytes arrive that the answers after the best turns need.
    if (found.wdl && ["step", "rank"].includes(kind)) {
      far.prefetch(found.position).catch(() => {});
      if (lacksFile && !isLost) {
        lacksFile = false;
        postMessage({ lost: null });
      }
    }
    return found;
  } catch (error) {
    signal.throwIfAborted();
    if (error.code === "source") lose(error.message);
    else if (!late.aborted) throw error;
    if (late.aborted && kind !== "play") throw { code: "late", message: `the answer takes longer than ${LONGEST / 1000} s` };
    return near.ask(kind, question, { signal });
  }
}

const TASKS = { kept, keep, forget };

self.addEventListener("message", async ({ data: { id, kind, question, abort } }) => {
  if (abort) { running.get(abort)?.abort(); return; }
  const controller = new AbortController();
  running.set(id, controller);
  try {
    const found = await (TASKS[kind]?.(question, controller.signal) ?? answer(kind, question, controller.signal));
    postMessage({ id, answer: found });
  } catch (error) {
    const { code = "system", message = String(error), reason, fields } = error;
    postMessage({ id, error: { code, message, reason, fields } });
  }
  running.delete(id);
});
