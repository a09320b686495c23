/* The contents of a JSON file that lies beside the scripts. */
export async function readJson(name) {
  const response = await fetch(new URL(name, import.meta.url));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  return response.json();
}
