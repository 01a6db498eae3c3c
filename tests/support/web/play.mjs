// Plays lessons and incidents in the Python of a tab: node play.mjs SITE CLONE NAME...
import fs from "node:fs";
import { pathToFileURL } from "node:url";

const [site, clone, ...names] = process.argv.slice(2);
const { loadPyodide } = await import(pathToFileURL(`${site}/engine/pyodide.mjs`));
const python = await loadPyodide();
python.unpackArchive(new Uint8Array(fs.readFileSync(`${site}/program.tar.xz`)), "xztar", { extractDir: "/program" });
// What plays here is of the command line, which no tab has: these files of it, and no others.
const ADDED = ["cli/__init__", "cli/export", "cli/play_steps", "course/promises"].map((name) => `workbench/${name}.py`);
python.FS.mkdirTree("/program/workbench/cli");
for (const name of ADDED) python.FS.writeFile(`/program/${name}`, fs.readFileSync(`${clone}/${name}`));
python.FS.writeFile("/program/played_alike.py", fs.readFileSync(`${clone}/tests/support/web/played_alike.py`));
python.runPython("import sys; sys.path.insert(0, '/program')");
const tell = (row) => process.stdout.write(`${row}\n`);
python.pyimport("workbench.web.start").begin(() => {}, "/home/workbench", 80, 24);
python.globals.set("names", python.toPy(names));
python.globals.set("tell", tell);
python.runPython("import json, played_alike\nfor row in played_alike.played(names): tell(json.dumps(row))");
process.exit(0);
