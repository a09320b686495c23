// The errors of the package.

/** Why there is no answer: a sentence and a code; some have a reason with fields, for other languages. */
export class MillbaseError extends Error {
  constructor(code, message, { reason, fields, ...options } = {}) {
    super(message, options);
    Object.assign(this, { name: "MillbaseError", code, reason, fields });
  }
}
