// Runs the program: its Python, its archive, and between them and the page nothing but messages.
import { loadPyodide } from "./engine/pyodide.mjs";
import { unpack as unpackProgram } from "./unpack.js";
import * as storage from "./storage.js";

const HOME = "/home/workbench";
const tell = (type, text) => {
  if (type === "keep") keep();
  else postMessage(type === "screen" ? { type, data: text } : { type, text });
};
let tab = null, keep = async () => {};

async function start({ link, cols, rows, beside }) {
  tell("progress", "loading Python ...");
  const archive = fetch(new URL("program.tar.xz", import.meta.url)).then((answer) => answer.arrayBuffer());
  const python = await loadPyodide({ indexURL: new URL("engine/", import.meta.url).href });
  tell("progress", "loading the program ...");
  unpackProgram(python, new Uint8Array(await archive), "/program");
  python.FS.mkdirTree(HOME);
  keep = await storage.begin(python.FS, HOME, (text) => tell("storage", text));
  python.runPython("import sys; sys.path.insert(0, '/program')");
  tab = python.pyimport("workbench.web.start").begin(tell, HOME, cols, rows);
  tab.stand_beside(beside);
  tell("progress", "");
  await tab.show(link);
}

async function forget() {
  tab.forget();
  await keep();
  tell("ended", "All runs, answers and progress that this browser kept are deleted.");
  self.close();
}

function pack() {
  const packed = tab.pack(), bytes = packed.toJs();
  packed.destroy();
  postMessage({ type: "file", name: "kraft-workbench.tar.gz", bytes }, [bytes.buffer]);
}

async function unpack({ bytes }) {
  tell("progress", tab.unpack(new Uint8Array(bytes)));
  await keep();
}

const asked = {
  start,
  keys: ({ data }) => tab?.driver.typed(data),
  press: ({ name }) => tab?.beside?.press(name),
  command: ({ text }) => tab?.beside?.command(text),
  beside: ({ shown }) => tab?.stand_beside(shown),
  resize: ({ cols, rows }) => tab?.driver.resized(cols, rows),
  export: () => tab && pack(),
  import: (message) => tab && unpack(message),
  forget: () => tab && forget(),
};

onmessage = async ({ data }) => {
  try {
    await asked[data.type]?.(data);
  } catch (error) {
    tell("failed", String(error.message ?? error).slice(-600));
  }
};
