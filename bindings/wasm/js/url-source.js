// A file on a server: its ranges, bounded by what was asked for, and all of one version of the file.

import { MillbaseError } from "./errors.js";

/** The largest file that is loaded whole from a server that does not answer ranges. */
const WHOLE = 4 << 20;

/** Waits before a request is repeated after a cut connection or a busy server, in milliseconds. */
const BACK_OFF = [200, 800];

/** A failure that may pass: a cut connection, a busy server. */
class Passing extends Error {}

/** A file on a server that answers ranges. */
export class UrlSource {
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
    const response = await passing("the connection failed", () => fetch(this.url, options), signal);
    try {
      return await this.#take(response, start, length, signal);
    } catch (error) {
      // No more of it comes; a body that is read already refuses.
      response.body?.cancel().catch(() => undefined);
      throw error;
    }
  }

  async #take(response, start, length, signal) {
    const { status } = response;
    if (status === 206) {
      this.#checkVersion(response, start);
      const bytes = await bodyOf(response, length, signal);
      if (!bytes) throw this.#failure(`its server gave more than the ${length} bytes from ${start} on that were asked for`);
      return bytes;
    }
    if (status === 200) {
      return this.#takeWhole(response, start, length, signal);
    }
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
      throw this.#noRanges();
    }
    this.#checkVersion(response, 0);
    const whole = bodyOf(response, WHOLE, signal).then((bytes) => {
      if (!bytes) throw this.#noRanges();
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
      if (error instanceof MillbaseError || error instanceof Passing) throw error;
      // Another question began the request and was ended.
      throw new Passing("the request was ended", { cause: error });
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

/** What fails here may pass, unless the signal has ended it. */
async function passing(sentence, work, signal) {
  try {
    return await work();
  } catch (error) {
    signal?.throwIfAborted();
    throw new Passing(`${sentence} (${error.message})`, { cause: error });
  }
}

/** The body of an answer; `undefined`, and no more is read, if it has more than `most` bytes. */
async function bodyOf(response, most, signal) {
  if (!response.body) return new Uint8Array();
  const reader = response.body.getReader();
  const parts = [];
  for (let size = 0; ; ) {
    const { done, value } = await passing("the connection was cut", () => reader.read(), signal);
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
    if (size > most) {
      await reader.cancel();
      return undefined;
    }
  }
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
