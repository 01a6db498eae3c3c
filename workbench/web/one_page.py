"""A recording as one page that needs nothing else: the whole program is in it, and the run. A double click opens it."""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import tempfile
from pathlib import Path

from workbench.runs.find import told_of
from workbench.session.packing import pack_recording
from workbench.support.new_file import new_file
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.web.archive import UNPACKED_MAX
from workbench.web.site import PROGRAM, build_site

HERE = Path(__file__).parent / "one_file"
ENGINE = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
SCRIPTS = ("xterm.js", "addon-fit.js", "addon-unicode11.js")
POLICY = (
    "default-src 'none'; script-src {} 'wasm-unsafe-eval' blob:; worker-src blob:; connect-src blob:; "
    "style-src 'unsafe-inline'"
)
"""Nothing is asked for outside of the page, and no script runs but those that stand in it."""


def write_page(run: Path, file: str) -> None:
    """Make the page of a recording. Refusal when the recording has no place in one, or the program is not to be had."""
    if _size_of(run) > UNPACKED_MAX:
        raise Refusal(BAD_DATA, f"this recording is too long for a page: at most {UNPACKED_MAX >> 20} MiB of events")
    with tempfile.TemporaryDirectory(prefix="workbench-page-") as folder:
        site, packed = Path(folder) / "site", Path(folder) / "recording.tar.gz"
        pack_recording(run, str(packed))
        build_site(site)
        page = page_of(run, site, packed.read_bytes())
    with new_file(file) as stream:
        stream.write(page.encode())


def _size_of(run: Path) -> int:
    return sum(path.stat().st_size for path in (run / "trace").glob("*.trace"))


def page_of(run: Path, site: Path, packed: bytes) -> str:
    """The page. What comes from the recording stands in it as text or as bytes, never as markup."""
    parts = {name: [_text(gzip.compress((site / "engine" / name).read_bytes(), 9)), True] for name in ENGINE}
    parts["program.tar.xz"] = [_text((site / PROGRAM).read_bytes()), False]
    parts["recording.tar.gz"] = [_text(packed), False]
    parts["run"] = [_text(run.name.encode()), False]
    scripts = [(site / "terminal" / name).read_text("utf-8") for name in SCRIPTS]
    scripts.append((HERE / "page.js").read_text("utf-8"))
    styles = (site / "terminal" / "xterm.css").read_text("utf-8") + (site / "style.css").read_text("utf-8")
    _, title, kind = told_of(run)
    values = {
        "policy": POLICY.format(" ".join(map(_hash, scripts))), "title": html.escape(f"{title} ({kind})"),
        "styles": styles, "parts": json.dumps(parts), "worker": (HERE / "worker.js").read_text("utf-8"),
        "scripts": "\n".join(f"<script>{script}</script>" for script in scripts),
    }  # fmt: skip
    page, *pieces = (HERE / "page.html").read_text("utf-8").split("@")
    for name, between in zip(pieces[::2], pieces[1::2], strict=True):
        page += values[name] + between
    return page


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def _hash(script: str) -> str:
    """What a browser knows an inline script of ours by; any other is not run."""
    return f"'sha256-{_text(hashlib.sha256(script.encode()).digest())}'"
