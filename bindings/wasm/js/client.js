// Databases and a player in a worker, whose script is worker.js: no question blocks the page, and a signal ends each at once.

import { MillbaseError } from "./errors.js";
import { absolute, isUrl } from "./urls.js";

export { MillbaseError } from "./errors.js";

/** The methods, with the number of their arguments before the options. */
const METHODS = { start: 0, pairs: 0, position: 1, play: 2, probe: 1, answer: 1, ask: 2, prefetch: 1, line: 1, probeMany: 3, choose: 1 };

/** What only this file can pass to the constructor. */
const OWN = Symbol("own");

/** Opens databases in a worker; the options are those of `open`. */
export async function connect(worker, { files = {}, bundle, wasm, signal, ...options } = {}) {
  const sent = Object.entries(files).map(([name, source]) => [name, portable(name, source)]);
  const whole = bundle === undefined ? undefined : portable("the bundle", bundle);
  const module = isUrl(wasm) ? absolute("the WebAssembly module", wasm).href : wasm;
  const channel = channelTo(worker);
  const of = ++opened;
  const opening = { ...options, files: Object.fromEntries(sent), bundle: whole, wasm: module };
  try {
    await channel.call({ of, call: "open", options: opening }, signal);
  } catch (error) {
    // The worker may have opened them before the signal came.
    channel.close(of);
    throw error;
  }
  return new WorkerMillbase(OWN, channel, of);
}

/** How often databases were opened. */
let opened = 0;

/** What `open` gives, in a worker: each method gives a promise. */
export class WorkerMillbase {
  #channel;
  /** The number of the databases. */
  #of;
  #isClosed = false;

  constructor(own, channel, of) {
    if (own !== OWN) {
      throw new TypeError("new WorkerMillbase() opens nothing; await connect(worker) makes a WorkerMillbase");
    }
    this.#channel = channel;
    this.#of = of;
  }

  async #call(call, args, { signal, ...options } = {}) {
    if (this.#isClosed) throw closed();
    return this.#channel.call({ of: this.#of, call, args, options }, signal);
  }

  /** Frees the memory of the databases; what is asked afterwards, and what still waits, is refused. The worker stays. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#channel.close(this.#of);
  }

  static {
    for (const [call, count] of Object.entries(METHODS)) {
      this.prototype[call] = function (...args) {
        return this.#call(call, args.slice(0, count), args[count]);
      };
    }
    // Not every browser has the symbol.
    if (Symbol.dispose) this.prototype[Symbol.dispose] = this.prototype.close;
  }
}

function closed() {
  return new MillbaseError("invalid", "the databases are closed; open them again");
}

/** What can go to a worker: URLs as texts. */
function portable(name, source) {
  if (isUrl(source)) return absolute(name, source).href;
  if (isUrl(source?.url)) return { ...source, url: absolute(name, source.url).href };
  if (typeof source?.read !== "function") return source;
  throw new MillbaseError("source", `${name} has a read of your own, which cannot go to a worker; name bytes, a File or a URL`);
}

const channels = new WeakMap();

/** The channel to a worker, one for all that is opened in it. */
function channelTo(worker) {
  if (typeof worker?.postMessage !== "function") {
    throw new TypeError("connect needs a worker whose script is millbase/worker");
  }
  if (!channels.has(worker)) channels.set(worker, new Channel(worker));
  return channels.get(worker);
}

/** Calls to a worker, and their answers. */
class Channel {
  #worker;
  #calls = 0;
  /** The error of a worker that has ended, which Node reports. */
  #end;
  /** The calls that wait, by their numbers. */
  #waiting = new Map();

  constructor(worker) {
    this.#worker = worker;
    const fail = (why) => {
      const error = new MillbaseError("system", `the worker has failed: ${why}`);
      for (const { settle, reject } of [...this.#waiting.values()]) settle(reject, error);
      return error;
    };
    if (worker.addEventListener) {
      worker.addEventListener("message", ({ data }) => this.#hear(data));
      worker.addEventListener("error", ({ message }) => fail(message || "its script cannot be loaded"));
    } else {
      // A worker of Node.
      worker.on("message", (data) => this.#hear(data));
      worker.on("error", ({ message }) => fail(message));
      worker.on("exit", () => (this.#end = fail("it has ended")));
    }
  }

  /** The answer to a call. The signal ends the call here at once, and in the worker soon. */
  call(message, signal) {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      if (this.#end) throw this.#end;
      const id = ++this.#calls;
      this.#worker.postMessage({ id, args: [], ...message });
      const settle = (how, what) => {
        this.#waiting.delete(id);
        signal?.removeEventListener("abort", abort);
        how(what);
      };
      const cancel = (error) => {
        this.#worker.postMessage({ cancel: id });
        settle(reject, error);
      };
      const abort = () => cancel(signal.reason);
      signal?.addEventListener("abort", abort);
      this.#waiting.set(id, { of: message.of, settle, resolve, reject, cancel });
    });
  }

  /** Closes databases. */
  close(of) {
    for (const call of [...this.#waiting.values()]) {
      if (call.of === of) call.cancel(closed());
    }
    this.call({ of, call: "close" }).catch(() => undefined);
  }

  #hear({ id, answer, error }) {
    const call = this.#waiting.get(id);
    if (!call) return;
    if (error) {
      call.settle(call.reject, errorOf(error));
    } else {
      call.settle(call.resolve, answer);
    }
  }
}

/** An error of the worker, which crosses as its fields. */
function errorOf({ name, code, message, reason, fields }) {
  if (name === "MillbaseError") return new MillbaseError(code, message, { reason, fields });
  return name === "TypeError" ? new TypeError(message) : Object.assign(new Error(message), { name });
}
