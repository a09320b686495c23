// Millbase in JavaScript: opens the WebAssembly module, fetches the bytes that a question still needs, and asks again.

import init, { Core, version as coreVersion } from "./core.js";

/** What every error of this package is: a sentence, and a code. */
export class MillbaseError extends Error {
  constructor(code, message, options) {
    super(message, options);
    this.name = "MillbaseError";
    this.code = code;
  }
}

/** How many requests of one question run at the same time, and how near two ranges are one request. */
const PARALLEL = 8;
const NEAR = 4096;

let loading;

/** Loads the module once; `wasm` is its bytes, a response or a URL. */
async function load(wasm) {
  let source = wasm;
  if (source === undefined) {
    source = new URL("core_bg.wasm", import.meta.url);
    if (source.protocol === "file:") {
      const { readFile } = await import("node:fs/promises");
      source = await readFile(source);
    }
  }
  await init({ module_or_path: source });
}

/** Opens the rules, the player and the databases. */
export async function open({ rules = "standard", files = {}, cacheBytes = 64 << 20, wasm, signal } = {}) {
  loading ??= load(wasm);
  try {
    await loading;
  } catch (error) {
    loading = undefined;
    throw error;
  }
  let core;
  try {
    core = new Core(rules);
  } catch (error) {
    throw new MillbaseError("position", error.message);
  }
  const names = Object.keys(files);
  const sources = await Promise.all(names.map((name) => sourceOf(name, files[name], signal)));
  const known = new Map();
  names.forEach((name, at) => {
    known.set(name, sources[at]);
    core.add_file(name, sources[at].size, sources[at].head ?? 0);
  });
  return new Millbase(core, known, cacheBytes);
}

/** The version of the package. */
export async function version() {
  loading ??= load();
  await loading;
  return coreVersion();
}

export class Millbase {
  #core;
  #sources;
  #cacheBytes;
  #waiting = 0;

  constructor(core, sources, cacheBytes) {
    this.#core = core;
    this.#sources = sources;
    this.#cacheBytes = cacheBytes;
  }

  /** The text of the start position. */
  start() {
    return this.#core.start();
  }

  /** The pairs whose files can be used now. */
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

  /** What a position is worth. */
  async probe(fen, options) {
    text(fen, "the position");
    return this.#ask(() => this.#core.probe(fen), options);
  }

  /** A position's value and its turns, best first. */
  async answer(fen, options) {
    text(fen, "the position");
    return this.#ask(() => this.#core.answer(fen), options);
  }

  /** The game in which both sides always make their best turn. */
  async line(fen, { limit = 300, ...options } = {}) {
    text(fen, "the position");
    return this.#ask(() => this.#core.line(fen, limit), options);
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
    const ask = () => this.#core.choose(fen, made, level, seed, milliseconds, nodes, depth);
    return this.#ask(ask, options);
  }

  /** Frees the memory of the module; nothing may be asked afterwards. */
  close() {
    this.#core.free();
  }

  #result(answer) {
    const result = JSON.parse(answer);
    if (result.error) {
      throw new MillbaseError(result.error.code, result.error.message);
    }
    return result;
  }

  /** Asks, and fetches and asks again until there is an answer. */
  async #ask(question, { signal } = {}) {
    signal?.throwIfAborted();
    // What a question that waits has fetched must stay until it has its answer.
    if (this.#waiting === 0) {
      this.#core.trim(this.#cacheBytes);
    }
    this.#waiting += 1;
    try {
      for (;;) {
        const result = this.#result(question());
        if (!result.pending) {
          return result;
        }
        await this.#fetch(result.pending, signal);
        signal?.throwIfAborted();
      }
    } catch (error) {
      if (error.code === "corrupt") {
        // Wrong bytes may have come on the way: the next question fetches them again.
        this.#core.trim(0);
      }
      throw error;
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Fetches ranges, some at a time; ranges that lie near each other are one request. */
  async #fetch(ranges, signal) {
    const requests = [];
    for (const { file, start, length } of ranges) {
      const last = requests.at(-1);
      if (last?.file === file && start <= last.end + NEAR) {
        last.end = Math.max(last.end, start + length);
      } else {
        requests.push({ file, start, end: start + length });
      }
    }
    let next = 0;
    const worker = async () => {
      while (next < requests.length) {
        const { file, start, end } = requests[next++];
        const bytes = await this.#sources.get(file).read(start, end - start, signal);
        if (bytes.byteLength < end - start) {
          throw new MillbaseError("source", `${file} ends at byte ${start + bytes.byteLength}, before byte ${end}; load it again`);
        }
        this.#core.supply(file, start, bytes);
      }
    };
    await Promise.all(Array.from({ length: Math.min(PARALLEL, requests.length) }, worker));
  }
}

function text(value, what) {
  if (typeof value !== "string") {
    throw new MillbaseError("position", `${what} must be a text`);
  }
  return value;
}

function numbers(array, Type) {
  const most = Type === Uint8Array ? 0xff : 0xffffffff;
  if (array instanceof Type) {
    return array;
  }
  const given = Array.from(array);
  if (!given.every((number) => Number.isInteger(number) && number >= 0 && number <= most)) {
    throw new MillbaseError("position", `the arrays must have whole numbers from 0 to ${most}`);
  }
  return Type.from(given);
}

/** Anything that gives bytes as `{ size, read(start, length, signal) }`. */
async function sourceOf(name, source, signal) {
  if (source instanceof ArrayBuffer) {
    source = new Uint8Array(source);
  }
  if (ArrayBuffer.isView(source)) {
    const bytes = new Uint8Array(source.buffer, source.byteOffset, source.byteLength);
    return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
  }
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    const read = async (start, length) => new Uint8Array(await source.slice(start, start + length).arrayBuffer());
    return { size: source.size, read };
  }
  if (typeof source === "string" || source instanceof URL) {
    return urlSource(name, String(source), undefined, signal);
  }
  if (typeof source?.url === "string" || source?.url instanceof URL) {
    return { ...(await urlSource(name, String(source.url), source.size, signal)), head: source.head };
  }
  if (Number.isSafeInteger(source?.size) && source.size >= 0 && typeof source.read === "function") {
    return source;
  }
  throw new MillbaseError("source", `${name} must be bytes, a File, a URL, or an object with size and read`);
}

/** A URL whose server answers ranges. Without a size, the first request asks for it. */
async function urlSource(name, url, size, signal) {
  const request = async (start, length, signal) => {
    const range = `bytes=${start}-${start + length - 1}`;
    let response;
    try {
      response = await fetch(url, { headers: { Range: range }, signal });
    } catch (error) {
      if (error.name === "AbortError" || error.name === "TimeoutError") {
        throw error;
      }
      throw new MillbaseError("source", `${name} cannot be fetched: ${error.message}`, { cause: error });
    }
    if (response.status !== 206) {
      await response.body?.cancel();
      const why = response.ok ? "the server does not answer ranges" : `the server answers ${response.status}`;
      throw new MillbaseError("source", `${name} cannot be fetched from ${url}: ${why}`);
    }
    return response;
  };
  if (size === undefined) {
    const response = await request(0, 1, signal);
    await response.arrayBuffer();
    size = Number(response.headers.get("Content-Range")?.split("/")[1]);
    if (!Number.isSafeInteger(size)) {
      throw new MillbaseError("source", `${name} has no size: ${url} must answer with Content-Range, and let pages of other origins read it`);
    }
  }
  const read = async (start, length, signal) => {
    const response = await request(start, length, signal);
    return new Uint8Array(await response.arrayBuffer());
  };
  return { size, read };
}
