// Compiles a program and a library with the Python that a tab has: node compile.mjs ENGINE PROGRAM LIBRARY
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [engine, program, library] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${engine}/node_modules/pyodide/pyodide.mjs`));
const python = await loadPyodide({ env: { PYTHONNODEBUGRANGES: "1" } }); // lines are enough, no columns: a tenth less
for (const [name, folder] of [["/program", program], ["/library", library]]) {
  python.FS.mkdirTree(name);
  python.mountNodeFS(name, folder);
}
// What Python needs before it can take the program's archive apart.
const begins = python.runPython(`
import lzma, shutil, sys, tarfile
import pyodide._package_loader

" ".join({name.partition(".")[0] for name in sys.modules})
`);
fs.writeFileSync(`${library}/begins`, begins);
python.runPython(`
loaded = list(sys.modules)
sys.path.insert(0, "/program")
from pathlib import Path
from workbench.web.compiling import compile_reached, modules_of

program, library = Path("/program"), Path("/library")
by_name = [*modules_of(library, "_pyodide", "pyodide"), *modules_of(program, "msgspec", "msgpack", "rich/_unicode_data", "cluster/invariants")]
named = ["workbench.web.start", "workbench.web.driver", "google_crc32c", "_strptime"]
codecs = [f"encodings.{name}" for name in ("ascii", "cp437", "idna", "latin_1", "punycode", "utf_8_sig")]
compile_reached([program, library], [*loaded, *by_name, *named, *codecs])
`);
process.exit(0);
