"""Figures of a page for slides and documents, on white: as SVG files, and as PNG that the browser saves."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

from workbench.analysis.report.drawing import PALETTE

NAME_MAX = 60
_FIGURE = re.compile(r"<figure><h[34]>(.*?)</h[34]>.*?<svg (.*?)>(.*?)</svg></figure>", re.DOTALL)
_TIP = re.compile(r'<text class="tip".*?</text>')
_LIGHT = dict(re.findall(r"--(\w+):(#\w+)", PALETTE.partition("@media")[0]))
SCRIPT = (
    f"const light = {json.dumps(_LIGHT)};"
    + """
for (const svg of document.querySelectorAll("figure svg")) {
  const figure = svg.closest("figure"), heading = figure.querySelector("h3, h4");
  const button = document.createElement("button");
  const name = heading?.textContent ?? svg.getAttribute("aria-label");
  Object.assign(button, {textContent: "PNG", className: "png", title: "Save this figure as a picture, for slides"});
  button.onclick = () => save(svg, name.toLowerCase().replace(/[^a-z0-9]+/g, "-").slice(0, 60));
  heading ? heading.append(button) : figure.prepend(button);
}
function save(svg, name) {
  const copy = svg.cloneNode(true), canvas = document.createElement("canvas"), picture = new Image();
  copy.querySelectorAll(".tip").forEach((tip) => tip.remove());
  canvas.width = 2 * svg.viewBox.baseVal.width;
  canvas.height = 2 * svg.viewBox.baseVal.height;
  for (const side of ["width", "height"]) copy.setAttribute(side, canvas[side]);
  copy.setAttribute("font-family", "sans-serif");
  const text = new XMLSerializer().serializeToString(copy).replace(/var\\(--(\\w+)\\)/g, (_, colour) => light[colour]);
  picture.onload = () => {
    const pen = canvas.getContext("2d"), link = document.createElement("a");
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0);
    Object.assign(link, {href: canvas.toDataURL("image/png"), download: `${name}.png`}).click();
  };
  picture.src = `data:image/svg+xml,${encodeURIComponent(text)}`;
}
"""
)
"""Gives each figure of a page a button. It knows no text of a recording; a page without it lacks the buttons alone."""
SCRIPT_HASH = f"sha256-{b64encode(sha256(SCRIPT.encode()).digest()).decode()}"
"""By which the policy of a page lets this script run, and no other."""


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
