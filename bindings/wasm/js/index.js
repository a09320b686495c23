// The package for browsers, workers and bundlers; node.js is that for Node.

import { openWith, versionWith } from "./millbase.js";

export { MillbaseError } from "./errors.js";
export { Millbase } from "./millbase.js";

/** Opens the rules, the player and the databases. */
export const open = (options) => openWith(undefined, options);

/** The version of the package. */
export const version = () => versionWith(undefined);
