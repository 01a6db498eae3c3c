// Unpacks what is in this file, hands it to a worker, draws what the worker says, and takes keys.
(async () => {
  const COLUMNS_MIN = 80, ROWS_MIN = 24;
  const at = (id) => document.getElementById(id);
  const status = (text) => { at("status").textContent = text; };

  const terminal = new Terminal({
    fontFamily: '"DejaVu Sans Mono", Menlo, Consolas, monospace', fontSize: 13, allowProposedApi: true, scrollback: 0,
  });
  const fit = new FitAddon.FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new Unicode11Addon.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  terminal.open(at("screen"));
  const refit = () => {
    const room = fit.proposeDimensions() ?? { cols: COLUMNS_MIN, rows: ROWS_MIN };
    terminal.resize(Math.max(COLUMNS_MIN, room.cols), Math.max(ROWS_MIN, room.rows));
  };
  refit();

  const told = {
    screen: ({ data }) => terminal.write(data),
    say: ({ text }) => { at("say").textContent = text; },
    progress: ({ text }) => status(text),
    ended: () => status("You have left it: Begin again opens it once more."),
    failed: ({ text }) => status(text),
  };

  async function unpacked([content, isFolded]) {
    const letters = atob(content), bytes = new Uint8Array(letters.length);
    for (let place = 0; place < letters.length; place += 1) bytes[place] = letters.charCodeAt(place);
    if (!isFolded) return bytes;
    const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(plain).arrayBuffer());
  }

  at("again").addEventListener("click", () => location.reload());
  try {
    status("unpacking ...");
    const parts = JSON.parse(at("parts").textContent);
    const names = Object.keys(parts), contents = await Promise.all(names.map((name) => unpacked(parts[name])));
    const source = new Blob([at("worker").textContent], { type: "text/javascript" });
    const worker = new Worker(URL.createObjectURL(source));
    worker.onmessage = ({ data }) => told[data.type]?.(data);
    worker.onerror = (error) => status(`The program could not be started: ${error.message ?? "this browser is too old"}`);
    const bytes = Object.fromEntries(names.map((name, place) => [name, contents[place]]));
    worker.postMessage({ type: "start", bytes, cols: terminal.cols, rows: terminal.rows }, contents.map((one) => one.buffer));
    terminal.onData((data) => worker.postMessage({ type: "keys", data }));
    terminal.onResize(({ cols, rows }) => worker.postMessage({ type: "resize", cols, rows }));
    addEventListener("resize", refit);
    terminal.focus();
  } catch (error) {
    status(`This file could not be opened: ${error.message ?? error}`);
  }
  // What a test reads: the rows that are shown.
  globalThis.shownRows = () => Array.from({ length: terminal.rows },
    (_, row) => terminal.buffer.active.getLine(row).translateToString(true));
})();
