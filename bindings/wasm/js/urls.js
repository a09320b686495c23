// What callers name by URLs.

import { MillbaseError } from "./errors.js";

export function isUrl(value) {
  return typeof value === "string" || value instanceof URL;
}

/** A URL without what the page's address adds to it. */
export function absolute(name, given) {
  const base = globalThis.document?.baseURI ?? globalThis.location?.href;
  try {
    const url = new URL(given, base);
    // The letter of a drive looks like a scheme.
    if (!/^[a-z]:$/.test(url.protocol)) return url;
  } catch {
    // Said below.
  }
  const advice = "name a file on the disk by its file: URL, as pathToFileURL from node:url makes it";
  throw new MillbaseError("source", `${name} cannot be read: '${given}' is not a URL; ${advice}`);
}
