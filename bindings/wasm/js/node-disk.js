// Files on the disk, for Node.

import * as fs from "node:fs/promises";
import { MillbaseError } from "./errors.js";

/** The bytes of a whole file. */
export const { readFile } = fs;

/** A file as a source of bytes. */
export async function open(name, url, head) {
  const failure = (why, cause) => new MillbaseError("source", `${name} cannot be read from ${url}: ${why}`, { cause });
  const told = async (work) => {
    try {
      return await work();
    } catch (error) {
      throw failure(error.message, error);
    }
  };
  const { size, mtimeMs } = await told(() => fs.stat(url));
  const read = async (start, length, signal) => {
    signal?.throwIfAborted();
    const file = await told(() => fs.open(url));
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
