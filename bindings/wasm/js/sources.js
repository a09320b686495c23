// Where the bytes of a file come from: memory, a File, a URL, or the caller's own `read`.

import { whole } from "./checks.js";
import { MillbaseError } from "./errors.js";
import { UrlSource } from "./url-source.js";
import { absolute, isUrl } from "./urls.js";

/** The bytes of a buffer, which may come from another realm, or of a view; `undefined` for anything else. */
export function bytesIn(value) {
  if (ArrayBuffer.isView(value)) {
    return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  }
  return Object.prototype.toString.call(value) === "[object ArrayBuffer]" ? new Uint8Array(value) : undefined;
}

/**
 * Anything that gives bytes as `{ size, head, read(start, length, signal, again) }`. `disk` reads `file:` URLs; browsers have none.
 */
export async function sourceOf(name, source, disk, signal) {
  const bytes = bytesIn(source);
  if (bytes) {
    return { size: bytes.length, read: async (start, length) => bytes.subarray(start, start + length) };
  }
  if (typeof Blob !== "undefined" && source instanceof Blob) {
    const read = async (start, length) => new Uint8Array(await source.slice(start, start + length).arrayBuffer());
    return { size: source.size, read };
  }
  if (isUrl(source)) {
    return atUrl(name, absolute(name, source), {}, disk, signal);
  }
  if (isUrl(source?.url)) {
    const { size, head } = source;
    if (size !== undefined) whole(size, `the size of ${name}`);
    return atUrl(name, absolute(name, source.url), { size, head }, disk, signal);
  }
  if (Number.isSafeInteger(source?.size) && source.size >= 0 && typeof source.read === "function") {
    return source;
  }
  throw new MillbaseError("source", `${name} must be bytes, a File, a URL, or an object with size and read`);
}

/** A file on a server that answers ranges, or on the disk. Without a size, the first request asks for it. */
async function atUrl(name, url, { size, head }, disk, signal) {
  if (url.protocol === "file:") {
    if (disk) return disk.open(name, url, head);
    throw new MillbaseError("source", `${name} cannot be read: only Node reads file: URLs; give a browser the File itself`);
  }
  const source = new UrlSource(name, url.href, size, head);
  if (size === undefined) {
    await source.measure(signal);
  }
  return { size: source.size, head: source.head, read: (...range) => source.read(...range) };
}
