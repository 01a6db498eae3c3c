"""Pages in a real browser without a window: pictures, what it says on its console, what it asks the network for."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

BROWSER = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
MISSING = "no Chromium: apt install chromium"
SWITCHES = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run", "--disable-extensions"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr"),
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
OWN = re.compile(r"https?://[a-z0-9.-]*\.(?:google|googleapis|gvt1)\.com/")
"""The browser's own questions, whatever it shows; none of them gets an answer here."""
HEIGHT = 2600
PHONE = 390
"""Pixels across. A window of the browser is wider, so the page is put into a frame."""


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of a page."""

    said: str
    """All that the browser said."""
    asked: list[str]
    """Every address that it asked for because of the page."""


def artefacts() -> Path:
    """Where pictures stay to be looked at: build/artefacts, or WORKBENCH_ARTEFACTS."""
    folder = Path(os.environ.get("WORKBENCH_ARTEFACTS") or Path(__file__).parents[2] / "build" / "artefacts")
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def draw(text: str, folder: Path, picture: Path, *, width: int = 1200, is_dark: bool = False) -> Seen:
    """Open a page and take its picture.

    Args:
        folder: for files of the browser's own.
        width: of the page, in pixels.
    """
    path, net = folder / "report.html", folder / "net.json"
    path.write_text(text, "utf-8")
    shown = path
    if width <= PHONE:
        shown = folder / "phone.html"
        frame = f'<iframe src="{path.as_uri()}" width="{width}" height="{HEIGHT}" style="border:0"></iframe>'
        shown.write_text(f'<!doctype html><body style="margin:0">{frame}', "utf-8")
    words = [f"--user-data-dir={folder / 'profile'}", f"--log-net-log={net}", f"--screenshot={picture}"]
    words += [
        f"--window-size={max(width, 500)},{HEIGHT}",
        f"--blink-settings=preferredColorScheme={0 if is_dark else 1}",
    ]
    assert BROWSER is not None
    command = [BROWSER, *SWITCHES, *words, shown.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    asked = re.findall(r'"url":"([^"]+)"', net.read_text("utf-8", "replace"))
    return Seen(done.stderr, [url for url in asked if not url.startswith(("file:", "data:")) and not OWN.match(url)])
