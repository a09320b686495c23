// The package for Node, which also reads files on the disk; index.js is that for browsers.

import { openWith, versionWith } from "./millbase.js";
import * as disk from "./node-disk.js";

export { MillbaseError } from "./errors.js";
export { Millbase } from "./millbase.js";

/** Opens the rules, the player and the databases. */
export const open = (options) => openWith(disk, options);

/** The version of the package. */
export const version = () => versionWith(disk);
