"""A recording as one page: opened from a file it is the whole screen, and what is hostile in it stays text."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run, update_facts
from cluster.trace.entry import encode_entry
from tests.support.browser import artefacts
from tests.support.traces import story
from tests.support.web.tab_site import drive, tab_site
from tests.support.worlds.shared_runs import lab_run
from workbench.session.packing import pack_recording
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.web.archive import UNPACKED_MAX
from workbench.web.one_page import page_of, write_page

SIZE_MAX = 16_000_000
HOSTILE = "\x1b[2J</title></script><script>location='https://evil.invalid'</script>"


def of_processes(home: Path, title: str) -> Path:
    """A recording that processes made, and so never a simulation."""
    folder, _ = create_run(home, ClusterSpec(title=title, controllers=3, brokers=2, combined=True))
    for entry in story.full_story():
        with (folder / "trace" / f"{entry.node}-{entry.incarnation}.trace").open("ab") as stream:
            stream.write(encode_entry(entry))
    update_facts(folder, state="ended")
    return folder


def page_file(run: Path, folder: Path) -> Path:
    packed, page = folder / "packed", folder / "run.html"
    pack_recording(run, str(packed))
    page.write_text(page_of(run, tab_site(), packed.read_bytes()), "utf-8")
    return page


@pytest.mark.tab
@pytest.mark.slow
@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_a_page_is_the_whole_screen_and_judges_anew(tmp_path: Path, browser: str) -> None:
    page = page_file(lab_run(tmp_path), tmp_path)
    assert page.stat().st_size < SIZE_MAX
    rows = drive(
        browser,
        tab_site(),
        [
            {"open": "", "address": page.as_uri()},
            {"wait": "REPLAY"},
            {"wait": "promises kept"},
            {"keys": ["End"]},
            {"wait": "isolate"},
            {"picture": str(artefacts() / f"one_page_{browser}.png")},
        ],
    )
    assert all(url.startswith("file:") for row in rows for url in row["foreign"])


@pytest.mark.tab
def test_a_page_of_processes_whose_title_is_hostile_shows_it_as_text(tmp_path: Path) -> None:
    page = page_file(of_processes(tmp_path, HOSTILE), tmp_path)
    rows = drive(
        "chrome",
        tab_site(),
        [
            {"open": "", "address": page.as_uri()},
            {"wait": "REPLAY"},
            {"evaluate": "[document.title, document.querySelectorAll('script').length, location.protocol]"},
        ],
    )
    title, scripts, protocol = rows[-1]["value"]
    assert title.startswith("\u241b[2J</title></script>") and "real processes" in title
    assert scripts == 6 and protocol == "file:"


def site_like(folder: Path) -> Path:
    """Files of the names that a site has, and little in them."""
    for name in ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json"):
        (folder / "engine").mkdir(exist_ok=True, parents=True)
        (folder / "engine" / name).write_text("{}")
    (folder / "terminal").mkdir()
    for name in ("xterm.js", "xterm.css", "addon-fit.js", "addon-unicode11.js"):
        (folder / "terminal" / name).write_text("")
    (folder / "style.css").write_text("")
    (folder / "program.tar.xz").write_bytes(b"")
    return folder


def test_nothing_of_a_recording_is_markup(tmp_path: Path) -> None:
    run = of_processes(tmp_path, HOSTILE)
    page = page_of(run, site_like(tmp_path / "site"), b"<script>packed</script>")
    assert "evil.invalid&#x27;&lt;/script&gt;" in page and page.count("</script>") == 6 and "\x1b" not in page
    parts = re.search(r'id="parts">(.*?)</script>', page)
    assert parts and set(json.loads(parts[1])) > {"recording.tar.gz", "program.tar.xz", "pyodide.asm.wasm"}


def test_a_recording_that_is_too_long_is_refused_before_anything_is_built(tmp_path: Path) -> None:
    run = of_processes(tmp_path, "long")
    with (run / "trace" / "9-0.trace").open("wb") as stream:
        stream.truncate(UNPACKED_MAX + 1)
    with pytest.raises(Refusal) as refusal:
        write_page(run, str(tmp_path / "run.html"))
    assert refusal.value.code == BAD_DATA and not (tmp_path / "run.html").exists()
