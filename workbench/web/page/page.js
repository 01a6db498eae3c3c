import * as beside from "./beside.js";

// The page draws and takes keys; the program runs in a worker, so that the page never freezes.
const COLUMNS_MIN = 80, ROWS_MIN = 24, ROWS_OF_PHONE = 30;
const FONT_PX = 13, FONT_OF_PHONE_PX = 10;
const phone = matchMedia("(max-width: 700px)");
const framed = self !== top;
const at = (id) => document.getElementById(id);

const terminal = new Terminal({
  fontFamily: '"DejaVu Sans Mono", Menlo, Consolas, monospace', fontSize: 13, allowProposedApi: true, scrollback: 0,
  theme: { background: "#0d1117" },
});
const fit = new FitAddon.FitAddon();
terminal.loadAddon(fit);
terminal.loadAddon(new Unicode11Addon.Unicode11Addon());
terminal.unicode.activeVersion = "11";
terminal.open(at("screen"));

let worker = null;
const send = (message) => worker?.postMessage(message);

let unkept = ""; // why nothing is kept: said as long as nothing else is
function status(text) { at("status").textContent = text || unkept; }

const told = {
  screen: ({ data }) => terminal.write(data),
  progress: ({ text }) => {
    status(text);
    if (text) return;
    isLoading = false;
    keepSite(); // all is loaded: nothing is brought twice at a time
  },
  say: ({ text }) => beside.say(text),
  lesson: ({ text }) => beside.showWords(text, send),
  file: ({ name, bytes }) => beside.keepFile(name, bytes),
  storage: ({ text }) => {
    unkept = text;
    status(text);
  },
  ended: ({ text }) => over(text),
  failed: ({ text }) => over(text),
};

// A newer site was brought while this page was open. Before all is loaded it would mix the two, and so would a new start.
let isLoading = false, isOld = false;
navigator.serviceWorker?.addEventListener("controllerchange", () => {
  isOld = true;
  if (isLoading) location.reload();
});

// For the next time, and for when there is no network. Where the browser refuses, the site needs its server.
function keepSite() {
  if (/^https?:$/.test(location.protocol)) navigator.serviceWorker?.register("service_worker.js").catch(() => {});
}

function over(text) {
  status(text);
  document.body.classList.add("over");
  beside.clear();
  at("begin").textContent = "Open it once more";
  at("begin").hidden = false;
}

// The columns and rows there is room for. On a phone a screen of a fixed size scrolls in its room; in a frame its
// letters are as small as it takes.
function fitted() {
  const small = framed ? Math.max(8, Math.min(FONT_PX, Math.floor(innerWidth / 48.2))) : FONT_OF_PHONE_PX;
  terminal.options.fontSize = phone.matches ? small : FONT_PX;
  if (phone.matches && !framed) return { cols: COLUMNS_MIN, rows: ROWS_OF_PHONE };
  const room = fit.proposeDimensions() ?? { cols: COLUMNS_MIN, rows: ROWS_MIN };
  return { cols: Math.max(COLUMNS_MIN, room.cols), rows: Math.max(ROWS_MIN, room.rows) };
}

// The page's policy binds a worker of the page's own words; one of an address would have none.
function begun() {
  const words = `import ${JSON.stringify(new URL("worker.js", location.href).href)};`;
  return new Worker(URL.createObjectURL(new Blob([words], { type: "text/javascript" })), { type: "module" });
}

function start() {
  if (isOld) return location.reload();
  isLoading = true;
  worker?.terminate();
  terminal.reset();
  document.body.classList.remove("over", "waiting");
  beside.clear();
  at("begin").hidden = true;
  const { cols, rows } = fitted();
  terminal.resize(cols, rows);
  worker = begun();
  worker.onmessage = ({ data }) => told[data.type]?.(data);
  worker.onerror = (error) => over(`The program could not be started: ${error.message ?? "a file is missing"}`);
  send({ type: "start", link: location.hash, cols, rows, beside: document.body.classList.contains("beside") });
  if (phone.matches) terminal.textarea.inputMode = "none"; // a tap is no wish for a keyboard
  else terminal.focus();
}

function stop() {
  worker?.terminate();
  worker = null;
  over("Stopped. What was not kept yet is lost.");
}

function refit() {
  const { cols, rows } = fitted();
  terminal.resize(cols, rows);
}

terminal.onData((data) => send({ type: "keys", data }));
terminal.onResize(({ cols, rows }) => send({ type: "resize", cols, rows }));
addEventListener("resize", refit);
at("stop").addEventListener("click", stop);

// What a test reads: the rows that are shown.
globalThis.shownRows = () => Array.from({ length: terminal.rows },
  (_, row) => terminal.buffer.active.getLine(row).translateToString(true));

beside.begin(send, (shown) => {
  send({ type: "beside", shown });
  refit();
}, framed);
// A figure in a page of the documentation starts when somebody wants it.
addEventListener("hashchange", () => document.body.classList.contains("waiting") || start());
at("begin").addEventListener("click", start);
if (!framed) start();
else {
  document.body.classList.add("framed", "waiting");
  status("");
  at("begin").hidden = false;
}
