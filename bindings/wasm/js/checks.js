// Checks of arguments: what is not of its type or range is an error with the code `invalid`.

import { MillbaseError } from "./errors.js";

/** The largest number that the module takes for a limit. */
export const MOST = 2 ** 32 - 1;

export function text(value, what) {
  if (typeof value !== "string") {
    throw new MillbaseError("invalid", `${what} must be a text`);
  }
  return value;
}

export function whole(value, what, most = Number.MAX_SAFE_INTEGER) {
  if (!Number.isSafeInteger(value) || value < 0 || value > most) {
    throw new MillbaseError("invalid", `${what} must be a whole number from 0 to ${most}, but is ${String(value)}`);
  }
  return value;
}

/** A whole number for the module, where Infinity stands for no limit, which is `none` there. */
export function limit(value, what, none = MOST) {
  return value === Infinity ? none : Math.min(whole(value, what), MOST);
}

export function finite(value, what) {
  if (!Number.isFinite(value)) {
    throw new MillbaseError("invalid", `${what} must be a number, but is ${value}`);
  }
  return value;
}

export function numbers(array, Type) {
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
