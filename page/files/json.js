/* The contents of a JSON file that lies beside the scripts. */
export const readJson = async name => (await fetch(new URL(name, import.meta.url))).json();
