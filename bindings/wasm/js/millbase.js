// The rules, the databases and a player: asks the WebAssembly module, fetches the bytes that it still needs, and asks again.

import { MOST, finite, limit, numbers, text, whole } from "./checks.js";
import init, { Core, Progress, version as coreVersion } from "./core.js";
import { MillbaseError } from "./errors.js";
import { requestsFor } from "./requests.js";
import { bytesIn, sourceOf } from "./sources.js";
import { isUrl } from "./urls.js";

/** The most bytes of a bundle's table of contents. */
const MOST_CONTENTS = 1 << 20;

/** How many requests of a question run at the same time; browsers allow fewer over HTTP/1.1, and queue the others. */
const PARALLEL = 32;

/** The highest level of a player. */
const PERFECT = 30;

/** How long a search that a signal may end keeps the thread at a time, in milliseconds. */
const SLICE = 40;

let loading;

/** Loads the module once; `wasm` is its bytes, a response or a URL. `disk` reads `file:` URLs; browsers have none. */
async function load(disk, wasm = new URL("./core_bg.wasm", import.meta.url)) {
  const read = async () => {
    const isFile = disk && isUrl(wasm) && /^file:/i.test(wasm);
    await init({ module_or_path: isFile ? await disk.readFile(new URL(wasm)) : wasm });
  };
  loading ??= read();
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    throw new MillbaseError("source", `the WebAssembly module cannot be loaded: ${error.message}`, { cause: error });
  }
}

/** Opens the rules, the player and the databases. */
export async function openWith(disk, options = {}) {
  const { rules = "standard", files = {}, bundle, cacheBytes = 64 << 20, decodedBytes = 48 << 20, wasm, signal } = options;
  const keptBytes = limit(cacheBytes, "cacheBytes");
  await load(disk, wasm);
  const said = typeof rules === "object" ? JSON.stringify(rules) : text(rules, "the rules");
  let core;
  try {
    core = new Core(said, limit(decodedBytes, "decodedBytes"));
  } catch (error) {
    throw new MillbaseError("invalid", error.message);
  }
  const names = Object.keys(files);
  const members = bundle === undefined ? [] : await membersOf(core, bundle, disk, signal);
  const other = names.find((name) => !core.is_file_name(name));
  if (other !== undefined) {
    const usual = "as 9-8.mill, the larger number first, or placing-14.mill";
    throw new MillbaseError("invalid", `no file of these rules is named ${other}; name the files ${usual}`);
  }
  const sources = await Promise.all(names.map((name) => sourceOf(name, files[name], disk, signal)));
  const known = new Map();
  // A file that is given replaces that of the bundle.
  for (const [name, source] of [...members, ...names.map((name, at) => [name, sources[at]])]) {
    known.set(name, { source, fetching: [] });
    const { size, head = 0 } = source;
    core.add_file(name, size, whole(head, `the head of ${name}`, MOST));
  }
  return new Millbase(OWN, core, known, keptBytes);
}

/** The names and sources of the files in a bundle, whose bytes 12 to 15 say how long its table of contents is. */
async function membersOf(core, bundle, disk, signal) {
  const name = "the bundle";
  const source = await sourceOf(name, bundle, disk, signal);
  const { size } = source;
  const part = (length) => bytesOf(name, source, 0, Math.min(length, size), signal);
  // A server has said the length already.
  const length = async () => new DataView((await part(16)).slice().buffer).getUint32(12, true);
  const head = size < 16 ? size : whole(source.head ?? (await length()), `the head of ${name}`, MOST);
  const contents = await part(Math.min(head, MOST_CONTENTS));
  const members = checked(JSON.parse(core.members(size, contents)));
  return members.map(({ name: member, start: at, ...rest }) => {
    const read = (from, ...how) => source.read(at + from, ...how);
    return [member, { ...rest, read }];
  });
}

/** The bytes of a range of a source, which may give them in several forms. */
async function bytesOf(name, source, start, length, ...how) {
  const given = await source.read(start, length, ...how);
  const bytes = bytesIn(given);
  if (!bytes) {
    const found = Object.prototype.toString.call(given).slice(8, -1);
    throw new MillbaseError("source", `read of ${name} must give an ArrayBuffer or a view of one, such as a Uint8Array, but gave ${found}`);
  }
  if (bytes.byteLength < length) {
    throw new MillbaseError("source", `${name} ends at byte ${start + bytes.byteLength}, before byte ${start + length}; load it again`);
  }
  return bytes;
}

/** An answer of the module, which may be an error. */
function checked(result) {
  if (result.error) {
    const { code, message, ...rest } = result.error;
    throw new MillbaseError(code, message, rest);
  }
  return result;
}

/** The version of the package. */
export async function versionWith(disk) {
  await load(disk);
  return coreVersion();
}

/** What only this file can pass to the constructor. */
const OWN = Symbol("own");

export class Millbase {
  /** The module's part; `undefined` once it is freed. */
  #held;
  #sources;
  #cacheBytes;
  #waiting = 0;
  /** How often bytes of files were dropped because they were damaged. */
  #dropped = 0;

  constructor(own, core, sources, cacheBytes) {
    if (own !== OWN) {
      throw new TypeError("new Millbase() opens nothing; await open() makes a Millbase");
    }
    this.#held = core;
    this.#sources = sources;
    this.#cacheBytes = cacheBytes;
  }

  /** The text of the start position. */
  start() {
    return this.#core.start();
  }

  /** The pairs that have a file, which may still have to be read, or are built in. */
  pairs() {
    return JSON.parse(this.#core.pairs());
  }

  /** A position's fields and its legal turns. */
  position(fen) {
    return this.#result(this.#core.position(text(fen, "the position")));
  }

  /** The text of the position after a legal turn. */
  play(fen, turn) {
    return this.#result(this.#core.after(text(fen, "the position"), text(turn, "the turn"))).position;
  }

  /** The value of a position. */
  async probe(fen, options) {
    text(fen, "the position");
    return this.#ask(() => this.#core.probe(fen), options);
  }

  /** A position's value and its turns, best first. */
  async answer(fen, options) {
    return this.ask("probe", { fen: text(fen, "the position") }, options);
  }

  /** The answer of `millbase serve` to a question with these fields at the path `/${kind}`. */
  async ask(kind, question, options) {
    const fields = JSON.stringify(question, (key, value) => (typeof value === "number" ? finite(value, key) : value));
    text(kind, "the kind of question");
    return this.#ask((progress) => this.#core.ask(progress, kind, fields), options);
  }

  /** Fetches ahead what ranking the turns takes after the best turns, a limited number of bytes. */
  async prefetch(fen, { turns = 2, bytes = 65536, ...options } = {}) {
    text(fen, "the position");
    const [best, most] = [limit(turns, "turns"), limit(bytes, "bytes", Infinity)];
    return !(await this.#ask(() => this.#core.prefetch(fen, best), { ...options, bytes: most })).pending;
  }

  /** The game in which both sides always make their best turn. */
  async line(fen, { limit: turns = 300, ...options } = {}) {
    text(fen, "the position");
    const most = limit(turns, "limit");
    return this.#ask(() => this.#core.line(fen, most), options);
  }

  /** The values of many positions of the moving phase. */
  async probeMany(white, black, toMove, options) {
    const [whites, blacks] = [numbers(white, Uint32Array), numbers(black, Uint32Array)];
    const sides = numbers(toMove, Uint8Array);
    const [wdl, dtw] = [new Int8Array(whites.length), new Int16Array(whites.length)];
    await this.#ask(() => this.#core.probe_many(whites, blacks, sides, wdl, dtw), options);
    return { wdl, dtw };
  }

  /** A player's turn after these turns from a position. */
  async choose(fen, { turns = [], level = 30, seed = 0, milliseconds = 1000, nodes = 0, depth = 0, ...options } = {}) {
    text(fen, "the position");
    const made = turns.map((turn) => text(turn, "a turn")).join(" ");
    // A part of a millisecond is not none.
    const time = Number.isFinite(milliseconds) && milliseconds > 0 ? Math.ceil(milliseconds) : milliseconds;
    const limits = [limit(time, "milliseconds", 0), limit(nodes, "nodes", 0), limit(depth, "depth", 0)];
    const player = [whole(level, "level", PERFECT), whole(seed, "seed", MOST)];
    return this.#ask((progress) => this.#core.choose(progress, fen, made, ...player, ...limits), options);
  }

  /** Frees the memory of the module; what is asked afterwards, and what still waits for bytes, is refused. */
  close() {
    this.#held?.free();
    this.#held = undefined;
  }

  get #core() {
    if (!this.#held) {
      throw new MillbaseError("invalid", "the databases are closed; open them again");
    }
    return this.#held;
  }

  #result(answer) {
    return checked(JSON.parse(answer));
  }

  /** Asks, and fetches and asks again until there is an answer, or what it still needs exceeds the limit of bytes. */
  async #ask(question, { signal, bytes = Infinity } = {}) {
    signal?.throwIfAborted();
    // What a question that waits has fetched must stay until it has its answer.
    if (this.#waiting === 0) {
      this.#core.trim(this.#cacheBytes);
    }
    this.#waiting += 1;
    const damaged = new Set();
    let left = bytes;
    // The ranges that this question has just fetched: they are not asked for again, unless bytes were dropped since.
    let fetched, dropped;
    const progress = new Progress(signal && SLICE);
    try {
      for (;;) {
        const answer = question(progress);
        const result = JSON.parse(answer);
        if (result.pending?.length === 0) {
          if (signal) await turn();
          signal?.throwIfAborted();
        } else if (result.pending) {
          if (answer === fetched && dropped === this.#dropped) {
            const [{ file, start }] = result.pending;
            throw new MillbaseError("source", `${file} gives no bytes from byte ${start} on: its size has changed; open the databases again`);
          }
          left -= result.pending.reduce((sum, { length }) => sum + length, 0);
          if (left < 0) return result;
          dropped = this.#dropped;
          fetched = (await this.#fetch(result.pending, damaged, signal)) ? answer : undefined;
          signal?.throwIfAborted();
        } else if (result.error?.code === "corrupt" && this.#sources.has(result.error.file)) {
          // Wrong bytes may have come on the way, or lie in a cache on the way: they are fetched once again.
          const { file, message } = result.error;
          this.#core.forget(file);
          this.#dropped += 1;
          if (damaged.has(file)) {
            throw new MillbaseError("corrupt", `${message} (its bytes were fetched twice)`);
          }
          damaged.add(file);
        } else {
          return checked(result);
        }
      }
    } finally {
      progress.free();
      this.#waiting -= 1;
    }
  }

  /**
   * Fetches ranges, many at a time, and waits for those that another question fetches. Whether all are here for certain: another
   * question may end without its bytes.
   */
  async #fetch(ranges, damaged, signal) {
    const waiting = [];
    const missing = ranges.filter(({ file, start, length }) => {
      const there = this.#sources.get(file).fetching.find((other) => other.start <= start && start + length <= other.end);
      // If that request ends without the bytes, the question asks for them again.
      if (there) waiting.push(there.done.catch(() => undefined));
      return !there;
    });
    const requests = requestsFor(missing, (file) => this.#sources.get(file).source.size);
    let next = 0;
    const worker = async () => {
      while (next < requests.length) {
        const request = requests[next++];
        const { fetching } = this.#sources.get(request.file);
        request.done = this.#request(request, damaged.has(request.file), signal);
        fetching.push(request);
        try {
          await request.done;
        } finally {
          fetching.splice(fetching.indexOf(request), 1);
        }
      }
    };
    await Promise.all([...waiting, ...Array.from({ length: Math.min(PARALLEL, requests.length) }, worker)]);
    return waiting.length === 0;
  }

  /** Fetches one range; `again` says that bytes on the way to it were damaged. */
  async #request({ file, start, end }, again, signal) {
    const { source } = this.#sources.get(file);
    const bytes = await bytesOf(file, source, start, end - start, signal, again);
    this.#core.supply(file, start, bytes);
  }
}

// Not every browser has the symbol.
if (Symbol.dispose) Millbase.prototype[Symbol.dispose] = Millbase.prototype.close;

/** Lets the event loop turn, so that timers, messages and clicks come in. */
function turn() {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
