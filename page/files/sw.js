/* The service worker: the page can be installed, and opens without a network. The server, or `tools/site` for static hosts,
   fills in the version and the files. It leaves answers and databases alone. */

const VERSION = "{{version}}";
const FILES = ["{{files}}"];

const PREFIX = "millbase-page-";
const ROOT = new URL("./", self.location);

self.addEventListener("install", event => {
  self.skipWaiting();
  // The browser may hold the files of an earlier version.
  const files = FILES.map(file => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(PREFIX + VERSION).then(cache => cache.addAll(files)));
});

self.addEventListener("activate", event => {
  event.waitUntil((async () => {
    const old = (await caches.keys()).filter(name => name.startsWith(PREFIX) && name !== PREFIX + VERSION);
    await Promise.all(old.map(name => caches.delete(name)));
    await self.clients.claim();
  })());
});

self.addEventListener("fetch", event => {
  const { url, method } = event.request;
  const path = url.startsWith(ROOT.href) ? new URL(url).pathname.slice(ROOT.pathname.length) || "./" : null;
  if (method !== "GET" || !FILES.includes(path)) return;
  const kept = () => caches.match(event.request, { ignoreSearch: true, ignoreVary: true });
  const fresh = async () => {
    const answer = await fetch(event.request).catch(() => null);
    if (!answer?.ok) return await kept() ?? answer ?? Response.error();
    // The databases of the host may change while the page stays the same. The device may have no room for the list.
    const keep = answer => caches.open(PREFIX + VERSION).then(cache => cache.put(event.request, answer)).catch(() => {});
    if (path === "manifest.json") await keep(answer.clone());
    return answer;
  };
  // The names of the page's files contain their hash; the others may have changed.
  event.respondWith(path.startsWith("page/") ? kept().then(found => found ?? fetch(event.request)) : fresh());
});
