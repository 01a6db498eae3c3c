// Opens a site in a real browser, does what it is told, and tells what was seen, one line of JSON for each step.
// node drive.mjs PUPPETEER chrome|firefox PROGRAM SITE < steps
//
// A step is {open, page, width, height} (a link of a fresh tab; or with {address} any address; with {more} the tab before
// stays open), {reload}, {wait} (a text on the terminal), {status} (a text of the status line), {until} (an expression),
// {tap} (a selector: a thumb in Chromium, a click in Firefox), {keys} (a list), {picture} (a file), {evaluate} (an
// expression), {download} (a folder: where what is downloaded from now on comes to be), {file} (it is there), {choose,
// file} (a file for the field of a selector), {before, text} (what the server puts before a file of that name),
// {site} (another folder from now on), {unplug} (the server ends). A narrow page is a phone's. Nothing is waited for by the clock.
import fs from "node:fs";
import http from "node:http";
import { createRequire } from "node:module";
import path from "node:path";
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [packages, browserName, program, built] = process.argv.slice(2);
let site = built;
const found = createRequire(`${path.resolve(packages)}/package.json`).resolve("puppeteer-core");
const { default: puppeteer } = await import(pathToFileURL(found));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".mjs": "text/javascript", ".css": "text/css",
  ".wasm": "application/wasm", ".json": "application/json", ".zip": "application/zip", ".svg": "image/svg+xml" };
const before = {};
const server = http.createServer((request, response) => {
  const file = path.join(site, decodeURIComponent(new URL(request.url, "http://site").pathname));
  if (!file.startsWith(site) || !fs.existsSync(file) || fs.statSync(file).isDirectory()) return response.writeHead(404).end();
  response.writeHead(200, { "content-type": TYPES[path.extname(file)] ?? "application/octet-stream" });
  response.write(before[path.basename(file)] ?? "");
  fs.createReadStream(file).pipe(response);
});
await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
const origin = `http://127.0.0.1:${server.address().port}`;

const TIMEOUT = 240_000;
const browser = await puppeteer.launch({
  browser: browserName, executablePath: program, headless: true, protocolTimeout: TIMEOUT,
  args: browserName === "chrome" ? ["--no-sandbox", "--disable-gpu"] : [],
});
const asked = [], said = [];
let page = null;

async function open({ page: file = "tab.html", open: link, address, width = 1280, height = 800, dark, more }) {
  if (!more) await page?.close();
  page = await browser.newPage();
  await page.setViewport(width < 700 && browserName === "chrome"
    ? { width, height, isMobile: true, hasTouch: true, deviceScaleFactor: 2 } : { width, height });
  if (dark !== undefined && browserName === "chrome") { // Firefox cannot be asked for it
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: dark ? "dark" : "light" }]);
  }
  page.on("request", (request) => asked.push(request.url()));
  page.on("console", (message) => said.push(message.text()));
  page.on("pageerror", (error) => said.push(String(error)));
  page.on("dialog", (dialog) => dialog.accept());
  await page.goto(address ?? `${origin}/${file}${link}`, { timeout: TIMEOUT });
}

const within = (what, text) => page.waitForFunction(what, { timeout: TIMEOUT, polling: 100 }, text);
// The page's policy lets nothing in it evaluate text, so it is asked from here.
async function until({ until: expression }) {
  const end = performance.now() + TIMEOUT;
  // A page that is left meanwhile, as for a newer site, is asked again once it is there.
  const answer = () => page.evaluate(expression).catch((error) => {
    if (!/context was destroyed|DiscardedBrowsingContext/i.test(error.message)) throw error;
  });
  while (!await answer()) {
    if (performance.now() > end) throw new Error("it never came to be");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function download({ download: downloadPath }) {
  const session = await browser.target().createCDPSession();
  await session.send("Browser.setDownloadBehavior", { behavior: "allow", downloadPath });
}

async function file({ file: name }) {
  const end = performance.now() + TIMEOUT;
  while (!fs.existsSync(name)) {
    if (performance.now() > end) throw new Error("it never came to be");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

// The page may draw a button anew between any two of these: then the new one is tapped.
async function tap({ tap: selector }) {
  const end = performance.now() + TIMEOUT;
  for (;;) {
    const element = await page.waitForSelector(selector, { timeout: TIMEOUT, visible: true });
    try {
      await element.evaluate((each) => each.scrollIntoView({ block: "center" }));
      return await (browserName === "chrome" ? element.tap() : element.click());
    } catch (error) {
      if (!/detached|not clickable|stale/i.test(error.message) || performance.now() > end) throw error;
    }
  }
}

const steps = {
  open,
  wait: ({ wait }) => within((text) => globalThis.shownRows?.().join("\n").includes(text), wait),
  status: ({ status }) => within((text) => document.getElementById("status").textContent.includes(text), status),
  reload: () => page.reload({ timeout: TIMEOUT }),
  until,
  tap,
  download,
  file,
  choose: async ({ choose, file: name }) => (await page.waitForSelector(choose)).uploadFile(name),
  before: ({ before: name, text }) => { before[name] = text; },
  site: ({ site: folder }) => { site = folder; },
  unplug: () => { server.close(); server.closeAllConnections(); },
  keys: async ({ keys }) => { for (const key of keys) await page.keyboard.press(key); },
  picture: ({ picture }) => page.screenshot({ path: picture }),
  evaluate: ({ evaluate }) => page.evaluate(evaluate),
};

for await (const line of readline.createInterface({ input: process.stdin })) {
  const step = JSON.parse(line), began = performance.now();
  let row;
  try {
    const value = await steps[Object.keys(step)[0]](step);
    row = "evaluate" in step ? { value } : {};
  } catch (error) {
    const rows = await page?.evaluate(() => globalThis.shownRows?.() ?? [document.body.innerText]).catch(() => []);
    row = { error: String(error), rows };
  }
  const foreign = asked.filter((url) => !url.startsWith(`${origin}/`) && !/^(blob|data):/.test(url));
  console.log(JSON.stringify({ ...row, ms: Math.round(performance.now() - began), foreign, said }));
  if (row.error) break; // what comes after it would only be waited for
}
await browser.close();
server.close();
