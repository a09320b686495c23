// Perfect play for Nine Men's Morris on any page: `open` reads the databases beside this file by ranges.

import { open as openModule } from "./page/{{version}}/millbase/index.js";

export { MillbaseError, version } from "./page/{{version}}/millbase/index.js";

/** Opens the rules with all databases of this host; the other options are those of the npm package. */
export async function open({ rules = "standard", ...options } = {}) {
  const response = await fetch(new URL("manifest.json", import.meta.url), { signal: options.signal });
  if (!response.ok) throw new Error(`manifest.json cannot be fetched: the host answers ${response.status}`);
  const { files } = await response.json();
  const address = ({ path, sha256 }) => new URL(`${path}?${sha256.slice(0, 16)}`, import.meta.url);
  const own = files.filter((file) => file.rules === rules);
  const listed = Object.fromEntries(own.map((file) => [file.name, { url: address(file), size: file.bytes, head: file.head }]));
  return openModule({ ...options, rules, files: { ...listed, ...options.files } });
}
