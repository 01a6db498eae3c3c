// Runs the program on bytes that the page hands over: no address leads out of the file.
const HOME = "/home/workbench", NOWHERE = "https://none.invalid/";
const tell = (type, text) => postMessage(type === "screen" ? { type, data: text } : { type, text });
let tab = null;
// A page of a file may have no worker that is a module, and the engine wants one. It only asks whether this works:
globalThis.importScripts = () => { throw new Error("nothing is imported by name here"); };

function addressOf(bytes, type) { return URL.createObjectURL(new Blob([bytes], { type })); }

// The engine fetches and imports its other halves by their names: it gets what the file holds instead.
async function engineOf(bytes) {
  const half = addressOf(bytes["pyodide.asm.mjs"], "text/javascript");
  const addresses = {
    "pyodide.asm.wasm": addressOf(bytes["pyodide.asm.wasm"], "application/wasm"),
    "python_stdlib.zip": addressOf(bytes["python_stdlib.zip"], "application/zip"),
  };
  const fetchThere = globalThis.fetch.bind(globalThis);
  globalThis.fetch = (what, options) => fetchThere(addresses[String(what?.url ?? what).split("/").pop()] ?? what, options);
  const source = new TextDecoder().decode(bytes["pyodide.mjs"])
    .replace(/import\((\w)\)/g, (_, name) => `import(String(${name}).endsWith("pyodide.asm.mjs") ? "${half}" : ${name})`);
  const { loadPyodide } = await import(addressOf(source, "text/javascript"));
  return loadPyodide({
    indexURL: NOWHERE,
    lockFileContents: new TextDecoder().decode(bytes["pyodide-lock.json"]),
    stdLibURL: addresses["python_stdlib.zip"],
  });
}

async function start({ bytes, cols, rows }) {
  tell("progress", "loading Python ...");
  const python = await engineOf(bytes);
  tell("progress", "loading the program ...");
  python.unpackArchive(bytes["program.tar.xz"], "xztar", { extractDir: "/program" });
  python.FS.mkdirTree(HOME);
  python.runPython("import sys; sys.path.insert(0, '/program')");
  tab = python.pyimport("workbench.web.start").begin(tell, HOME, cols, rows);
  tab.unpack(bytes["recording.tar.gz"]);
  tell("progress", "");
  await tab.show(`#replay=${new TextDecoder().decode(bytes["run"])}`);
}

const asked = {
  start,
  keys: ({ data }) => tab?.driver.typed(data),
  resize: ({ cols, rows }) => tab?.driver.resized(cols, rows),
};

onmessage = async ({ data }) => {
  try {
    await asked[data.type]?.(data);
  } catch (error) {
    tell("failed", String(error.message ?? error).slice(-600));
  }
};
