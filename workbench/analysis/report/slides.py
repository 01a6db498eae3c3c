"""Figures of a page as SVG files of their own, for slides and documents: on white, without a style sheet."""

from __future__ import annotations

import re
from pathlib import Path

from workbench.analysis.report.drawing import PALETTE

NAME_MAX = 60
_FIGURE = re.compile(r"<figure><h[34]>(.*?)</h[34]>.*?<svg (.*?)>(.*?)</svg></figure>", re.DOTALL)
_TIP = re.compile(r'<text class="tip".*?</text>')
_LIGHT = dict(re.findall(r"--(\w+):(#\w+)", PALETTE.partition("@media")[0]))


def write_figures(page: Path) -> Path:
    """Write the figures of a page into a folder beside it, in its order; they replace those that are there.

    Returns the folder. What the pointer tells on the page a picture does not show; its titles stay.
    """
    folder = page.with_name(f"{page.stem}-figures")
    folder.mkdir(mode=0o700, exist_ok=True)
    for old in folder.glob("*.svg"):
        old.unlink()
    for number, (title, frame, shapes) in enumerate(_FIGURE.findall(page.read_text("utf-8")), 1):
        name = re.sub(r"[^A-Za-z0-9]+", "-", re.sub(r"&\w+;", "", title))[:NAME_MAX].strip("-").lower()
        (folder / f"{number:02}-{name}.svg").write_text(_alone(frame, shapes), "utf-8")
    return folder


def _alone(frame: str, shapes: str) -> str:
    """With what the page gives it elsewhere."""
    drawn = re.sub(r"var\(--(\w+)\)", lambda colour: _LIGHT[colour[1]], _TIP.sub("", shapes))
    start = f'<svg xmlns="http://www.w3.org/2000/svg" font-family="sans-serif" {frame}>'
    return f'{start}<rect width="100%" height="100%" fill="#fff"/>{drawn}</svg>\n'
