// Keeps the site for the next time, and for when there is no network. The build writes here which files there are, with
// the digest of each; so a new site is a new service worker, and it brings only what changed.
const FILES = {};

const CACHE = "kraft-workbench files";
const ROOT = new URL("./", location.href);
const keyOf = (name) => new URL(`${name}?sha256=${FILES[name]}`, ROOT).href;

async function digestOf(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

async function bring(cache, name) {
  if (await cache.match(keyOf(name))) return;
  const answer = await fetch(new URL(name, ROOT), { cache: "no-cache" });
  const bytes = await answer.arrayBuffer();
  // While a site is being published some of its files are still the old ones: then the next visit tries again.
  if (await digestOf(bytes) !== FILES[name]) throw new Error(`${name} is not the file of this site`);
  const type = answer.headers.get("content-type") ?? "application/octet-stream";
  await cache.put(keyOf(name), new Response(bytes, { headers: { "content-type": type } }));
}

async function bringAll() {
  const cache = await caches.open(CACHE);
  for (const name of Object.keys(FILES)) await bring(cache, name);
}

// Whoever still shows the older site has all of it, or begins anew: see page.js.
async function deleteOld() {
  const cache = await caches.open(CACHE), ours = new Set(Object.keys(FILES).map(keyOf));
  for (const { url } of await cache.keys()) if (!ours.has(url)) await cache.delete(url);
}

async function answered(request, name) {
  const cache = await caches.open(CACHE);
  return await cache.match(keyOf(name)) ?? fetch(request);
}

addEventListener("install", (event) => event.waitUntil(bringAll().then(() => skipWaiting())));
addEventListener("activate", (event) => event.waitUntil(deleteOld()));
addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (event.request.method !== "GET" || origin !== ROOT.origin || !pathname.startsWith(ROOT.pathname)) return;
  const name = pathname.slice(ROOT.pathname.length) || "index.html";
  if (Object.hasOwn(FILES, name)) event.respondWith(answered(event.request, name));
});
