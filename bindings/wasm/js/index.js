// Millbase in JavaScript: opens the WebAssembly module, fetches the bytes that a question still needs, and asks again.

import init, { Core, version as coreVersion } from "./core.js";

/** Why there is no answer: a sentence and a code; some have a reason with fields, for other languages. */
export class MillbaseError extends Error {
  constructor(code, message, { reason, fields, ...options } = {}) {
    super(message, options);
    Object.assign(this, { name: "MillbaseError", code, reason, fields });
  }
}

/** How many requests of a question run at the same time; browsers allow fewer over HTTP/1.1, and queue the others. */
const PARALLEL = 32;

/**
 * How ranges become requests: those no further apart than NEAR bytes are one. While a round has more requests than MANY, the
 * nearest ones are joined if no more than WIDE bytes lie between them. Of files up to SMALL everything is fetched.
 */
const NEAR = 1024;
const MANY = 12;
const WIDE = 4096;
const SMALL = 16384;

/** The largest file that is loaded whole from a server that does not answer ranges. */
const WHOLE = 4 << 20;

/** The largest number that the module takes for a limit. */
const MOST = 2 ** 32 - 1;

/** The highest level of a player. */
const PERFECT = 30;

/** Waits before a request is repeated after a cut connection or a busy server, in milliseconds. */
const BACK_OFF = [200, 800];

let loading;

/** Loads the module once; `wasm` is its bytes, a response or a URL. */
async function load(wasm = new URL("core_bg.wasm", import.meta.url)) {
  try {
    const file = fileUrl(wasm);
    await init({ module_or_path: file ? await (await nodeFiles()).readFile(file) : wasm });
  } catch (error) {
    throw new MillbaseError("source", `the WebAssembly module cannot be loaded: ${error.message}`, { cause: error });
  }
}

/** Opens the rules, the player and the databases. */
export async function open({ rules = "standard", files = {}, cacheBytes = 64 << 20, wasm, signal } = {}) {
  const keptBytes = limit(cacheBytes, "cacheBytes");
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
    throw new MillbaseError("invalid", error.message);
  }
  const names = Object.keys(files);
  const other = names.find((name) => !core.is_file_name(name));
  if (other !== undefined) {
    const usual = "as 9-8.mill, the larger number first, or placing-14.mill";
    throw new MillbaseError("invalid", `no file of the rules ${rules} is named ${other}; name the files ${usual}`);
  }
  const sources = await Promise.all(names.map((name) => sourceOf(name, files[name], signal)));
  const known = new Map();
  names.forEach((name, at) => {
    known.set(name, { source: sources[at], fetching: [] });
    const { size, head = 0 } = sources[at];
    core.add_file(name, size, whole(head, `the head of ${name}`, MOST));
  });
  return new Millbase(core, known, keptBytes);
}

/** The version of the package. */
export async function version() {
  loading ??= load();
  await loading;
  return coreVersion();
}

export class Millbase {
  /** The module's part; `undefined` once it is freed. */
  #held;
  #sources;
  #cacheBytes;
  #waiting = 0;
  /** How often bytes of files were dropped because they were damaged. */
  #dropped = 0;

  constructor(core, sources, cacheBytes) {
    this.#held = core;
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
    return this.ask("probe", { fen: text(fen, "the position") }, options);
  }

  /** The answer of `millbase serve` to a question with these fields at the path `/${kind}`. */
  async ask(kind, question, options) {
    const fields = JSON.stringify(question, (key, value) => (typeof value === "number" ? finite(value, key) : value));
    return this.#ask(() => this.#core.ask(text(kind, "the kind of question"), fields), options);
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
    const ask = () => this.#core.choose(fen, made, ...player, ...limits);
    return this.#ask(ask, options);
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
    return this.#checked(JSON.parse(answer));
  }

  #checked(result) {
    if (result.error) {
      const { code, message, ...rest } = result.error;
      throw new MillbaseError(code, message, rest);
    }
    return result;
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
    try {
      for (;;) {
        const answer = question();
        const result = JSON.parse(answer);
        if (result.pending) {
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
          return this.#checked(result);
        }
      }
    } finally {
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
    const given = await source.read(start, end - start, signal, again);
    const bytes = bytesIn(given);
    if (!bytes) {
      const found = Object.prototype.toString.call(given).slice(8, -1);
      throw new MillbaseError("source", `read of ${file} must give an ArrayBuffer or a view of one, such as a Uint8Array, but gave ${found}`);
    }
    if (bytes.byteLength < end - start) {
      throw new MillbaseError("source", `${file} ends at byte ${start + bytes.byteLength}, before byte ${end}; load it again`);
    }
    this.#core.supply(file, start, bytes);
  }
}

/** Joins ranges, which come in the order of files and bytes, to requests. */
function requestsFor(ranges, sizeOf) {
  const requests = [];
  for (const { file, start, length } of ranges) {
    const last = requests.at(-1);
    if (last?.file === file && start <= last.end + NEAR) {
      last.end = Math.max(last.end, start + length);
    } else if (sizeOf(file) <= SMALL) {
      requests.push({ file, start: 0, end: sizeOf(file) });
    } else {
      requests.push({ file, start, end: start + length });
    }
  }
  const gaps = requests.map(({ file, start }, at) => ({ at, gap: requests[at - 1]?.file === file ? start - requests[at - 1].end : Infinity }));
  const joined = gaps.filter(({ gap }) => gap <= WIDE).sort((one, other) => one.gap - other.gap);
  const few = joined.slice(0, Math.max(0, requests.length - MANY));
  for (const { at } of few.sort((one, other) => other.at - one.at)) {
    requests[at - 1].end = requests[at].end;
    requests.splice(at, 1);
  }
  return requests;
}

function text(value, what) {
  if (typeof value !== "string") {
    throw new MillbaseError("invalid", `${what} must be a text`);
  }
  return value;
}

function whole(value, what, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isSafeInteger(value) || value < 0 || value > most) {
    throw new MillbaseError("invalid", `${what} must be a whole number from 0 to ${most}, but is ${String(value)}`);
  }
  return value;
}

/** A whole number for the module, where Infinity stands for no limit, which is `none` there. */
function limit(value, what, none = MOST) {
  return value === Infinity ? none : Math.min(whole(value, what), MOST);
}

function finite(value, what) {
  if (!Number.isFinite(value)) {
    throw new MillbaseError("invalid", `${what} must be a number, but is ${value}`);
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
    throw new MillbaseError("invalid", `the arrays must have whole numbers from 0 to ${most}`);
  }
  return Type.from(given);
}

/** The bytes of a buffer, which may come from another realm, or of a view; `undefined` for anything else. */
function bytesIn(value) {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]" ? new Uint8Array(value) : undefined;
}

/** Anything that gives bytes as `{ size, read(start, length, signal) }`. */
async function sourceOf(name, source, signal) {
  const bytes = bytesIn(source);
  if (bytes) {
    return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
  }
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    const read = async (start, length) => new Uint8Array(await source.slice(start, start + length).arrayBuffer());
    return { size: source.size, read };
  }
  if (typeof source === "string" || source instanceof URL) {
    return urlSource(name, String(source), {}, signal);
  }
  if (typeof source?.url === "string" || source?.url instanceof URL) {
    const { size, head } = source;
    if (size !== undefined) whole(size, `the size of ${name}`);
    return urlSource(name, String(source.url), { size, head }, signal);
  }
  if (Number.isSafeInteger(source?.size) && source.size >= 0 && typeof source.read === "function") {
    return source;
  }
  throw new MillbaseError("source", `${name} must be bytes, a File, a URL, or an object with size and read`);
}

/** A URL or its text as a URL if it is one of a file; browsers do not read these. */
function fileUrl(value) {
  return (typeof value === "string" || value instanceof URL) && /^file:/i.test(value) ? new URL(value) : undefined;
}

function nodeFiles() {
  return import("node:fs/promises");
}

/** A file that Node reads. */
async function fileSource(name, url, head) {
  const failure = (why, cause) => new MillbaseError("source", `${name} cannot be read from ${url}: ${why}`, { cause });
  const told = async (work) => {
    try {
      return await work();
    } catch (error) {
      throw failure(error.message, error);
    }
  };
  const { open, stat } = await told(nodeFiles);
  const { size, mtimeMs } = await told(() => stat(url));
  const read = async (start, length, signal) => {
    signal?.throwIfAborted();
    const file = await told(() => open(url));
    try {
      const now = await told(() => file.stat());
      if (now.size !== size || now.mtimeMs !== mtimeMs) {
        throw failure("it was replaced meanwhile; open the databases again");
      }
      const { buffer, bytesRead } = await told(() => file.read(new Uint8Array(length), 0, length, start));
      return buffer.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  };
  return { size, head, read };
}

/** A URL whose server answers ranges. Without a size, the first request asks for it. */
async function urlSource(name, url, { size, head }, signal) {
  const file = fileUrl(url);
  if (file) {
    return fileSource(name, file, head);
  }
  const source = new UrlSource(name, url, size, head);
  if (size === undefined) {
    await source.measure(signal);
  }
  return { size: source.size, head: source.head, read: (...range) => source.read(...range) };
}

/** A failure that may pass: a cut connection, a busy server. */
class Passing extends Error {}

class UrlSource {
  /** What the first answer said about the version of the file. */
  #version;
  /** The bytes of a small file whose server does not answer ranges. */
  #whole;

  constructor(name, url, size, head) {
    Object.assign(this, { name, url, size, head });
  }

  /** Finds the size of the file and the length of its head, which the head's bytes 12 to 15 say. */
  async measure(signal) {
    const bytes = await this.#patiently((again) => this.#fetch(0, 16, signal, again), signal);
    if (this.size === undefined) {
      throw this.#failure("its server must answer with Content-Range, and let pages of other origins read it");
    }
    this.head ??= bytes.length < 16 ? undefined : new DataView(bytes.buffer, bytes.byteOffset).getUint32(12, true);
  }

  read(start, length, signal, again) {
    return this.#patiently(async (more) => {
      const bytes = await this.#fetch(start, length, signal, again || more);
      if (bytes.length !== length) {
        throw new Passing(`its server gave ${bytes.length} instead of ${length} bytes`);
      }
      return bytes;
    }, signal);
  }

  /** Repeats a request after failures that may pass. */
  async #patiently(request, signal) {
    for (let tries = 0; ; tries++) {
      try {
        return await request(tries > 0);
      } catch (error) {
        if (!(error instanceof Passing)) throw error;
        if (tries >= BACK_OFF.length) throw this.#failure(`${error.message}, ${tries + 1} times`, error.cause);
        await pause(BACK_OFF[tries], signal);
      }
    }
  }

  async #fetch(start, length, signal, again) {
    if (this.#whole) {
      return this.#partOfWhole(start, length, signal);
    }
    // The browser's cache would let only one request for a file run at a time.
    const options = { headers: { Range: `bytes=${start}-${start + length - 1}` }, cache: again ? "reload" : "no-store", signal };
    const response = await this.#passing("the connection failed", () => fetch(this.url, options));
    const { status } = response;
    if (status === 206) {
      this.#checkVersion(response, start);
      return this.#body(response);
    }
    if (status === 200) {
      return this.#takeWhole(response, start, length, signal);
    }
    await response.body?.cancel();
    if (status === 416) {
      throw this.#otherSize("fewer");
    }
    const sentence = `its server answers ${status}`;
    throw status === 408 || status === 429 || status >= 500 ? new Passing(sentence) : this.#failure(sentence);
  }

  /** A server that does not know ranges sends the whole file. A small one is kept. */
  async #takeWhole(response, start, length, signal) {
    if (this.#whole) {
      await response.body?.cancel();
      return this.#partOfWhole(start, length, signal);
    }
    // A compressed answer, or one in chunks, does not say how many bytes it has.
    if (Math.max(this.size ?? 0, Number(response.headers.get("Content-Length"))) > WHOLE) {
      await response.body?.cancel();
      throw this.#noRanges();
    }
    this.#checkVersion(response, 0);
    const whole = this.#wholeBody(response).then((bytes) => {
      this.size ??= bytes.length;
      if (bytes.length !== this.size) throw this.#otherSize(bytes.length);
      return bytes;
    });
    this.#whole = whole;
    // A cut connection must not stay.
    whole.catch(() => (this.#whole = undefined));
    return this.#partOfWhole(start, length, signal);
  }

  async #partOfWhole(start, length, signal) {
    try {
      return (await this.#whole).subarray(start, start + length);
    } catch (error) {
      signal?.throwIfAborted();
      // Another question began the request and was ended.
      throw isEnd(error) ? new Passing("the request was ended", { cause: error }) : error;
    }
  }

  /** All bytes must be of one version of the file, and of the place that was asked for. */
  #checkVersion({ headers }, start) {
    const [, first, size] = /^bytes (\d+)-\d+\/(\d+)$/.exec(headers.get("Content-Range") ?? "") ?? [];
    const version = headers.get("ETag")?.replace(/^W\//, "") ?? headers.get("Last-Modified");
    if (size !== undefined && Number(size) !== (this.size ??= Number(size))) {
      throw this.#otherSize(size);
    }
    if (version && version !== (this.#version ??= version)) {
      throw this.#failure("it was replaced on its server meanwhile; open the databases again");
    }
    if (first !== undefined && Number(first) !== start) {
      throw this.#failure(`its server gave the bytes from ${first} on instead of those from ${start} on`);
    }
  }

  async #body(response) {
    return new Uint8Array(await this.#passing("the connection was cut", () => response.arrayBuffer()));
  }

  /** The body of an answer with the whole file, unless that is too large. */
  async #wholeBody(response) {
    const reader = response.body.getReader();
    const parts = [];
    for (let size = 0; ; ) {
      const { done, value } = await this.#passing("the connection was cut", () => reader.read());
      if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
      parts.push(value);
      size += value.length;
      if (size > WHOLE) {
        await reader.cancel();
        throw this.#noRanges();
      }
    }
  }

  /** What fails here may pass, unless the question was ended. */
  async #passing(sentence, work) {
    try {
      return await work();
    } catch (error) {
      if (isEnd(error)) throw error;
      throw new Passing(`${sentence} (${error.message})`, { cause: error });
    }
  }

  #noRanges() {
    return this.#failure("its server does not answer ranges; put the file on a host that does");
  }

  #otherSize(found) {
    return this.#failure(`it has ${found} bytes there instead of ${this.size}: it was replaced; open the databases again`);
  }

  #failure(why, cause) {
    return new MillbaseError("source", `${this.name} cannot be fetched from ${this.url}: ${why}`, { cause });
  }
}

/** Whether a signal ended the work. */
function isEnd(error) {
  return error.name === "AbortError" || error.name === "TimeoutError";
}

/** Waits, unless the signal ends the question. */
function pause(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}
