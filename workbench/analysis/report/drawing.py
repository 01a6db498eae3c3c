"""A small SVG: shapes in, text out; a time axis that all figures share."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from workbench.support.safe_text import safe_text

WIDTH, LEFT, RIGHT = 1000, 180, 14
TIP = 18
"""Height of the line that tells what the pointer is on."""
SCALE_MAX = 1.3
"""How much larger than its own pixels a small picture gets."""
LABEL_MAX = 25
"""Characters that fit to the left of the axis."""
INK, FAINT, GRID, ALARM, PAPER = (f"var(--{name})" for name in ("ink", "soft", "line", "bad", "paper"))
"""What a page in the light and one in the dark have different colours for; PALETTE says which."""
PALETTE = """
:root{--page:#fbfcfd;--paper:#fff;--ink:#1b1f24;--soft:#57606a;--line:#e3e6ea;--head:#f6f8fa;--bad:#c62f2f;--good:#00795a;
--warn:#9a6700;--pale:#fbe9e9;--fine:#eaf5ec;--link:#0b63b0;--mark:#fff3c4;color-scheme:light dark}
@media (prefers-color-scheme:dark){:root{--page:#0d1117;--paper:#161b22;--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;
--head:#1f262e;--bad:#ff7b72;--good:#3fb97f;--warn:#d9a520;--pale:#3c1a1c;--fine:#16301f;--link:#6cb6ff;--mark:#4a3d10}}
figure svg{width:100%;min-width:760px;height:auto;font-family:inherit;display:block}
figure{margin:.4rem 0 1.2rem;overflow-x:auto}
@media (max-width:640px){figure,.wide{background:linear-gradient(270deg,var(--paper),transparent) right/2rem 100%
no-repeat local,linear-gradient(270deg,var(--line),transparent) right/.9rem 100% no-repeat scroll}}
.tip{display:none}.h:hover>.tip{display:block}@media print{figure svg{min-width:0}button.png{display:none}}
button.png{font:600 11px system-ui,sans-serif;color:var(--soft);background:none;border:1px solid var(--line);
border-radius:5px;padding:.1rem .45rem;margin-left:.6rem;cursor:pointer}
"""
NODE_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#7b5ea7", "#8c6d31", "#4d4d4d")
"""Told apart also by those who do not see all colours; after Okabe and Ito."""
TICKS = 8


def node_colour(node: int, nodes: list[int]) -> str:
    """The same node has the same colour in all figures of a run."""
    return NODE_COLOURS[nodes.index(node) % len(NODE_COLOURS)] if node in nodes else FAINT


def words(value: object, limit: int = 120) -> str:
    """Text from anywhere, fit to stand in a page."""
    return escape(safe_text(str(value), limit), quote=True)


@dataclass(slots=True)
class Drawing:
    """Collects shapes. Lengths are in pixels of a picture WIDTH wide."""

    height: float
    label: str
    """For those who cannot see it."""
    width: int = WIDTH
    """A picture that is less wide is drawn as small as the page is, where a wide one is moved about."""
    shapes: list[str] = field(default_factory=list)
    """In the order they are painted."""

    def box(
        self, x: float, y: float, width: float, height: float, fill: str, *, title: str = "", more: str = ""
    ) -> None:
        """A filled rectangle, at least a pixel wide; title is told while the pointer is on it."""
        place = f'x="{x:.1f}" y="{y:.1f}" width="{max(width, 1.0):.1f}" height="{height:.1f}"'
        self._shape(f'rect {place} fill="{fill}" {more}', title)

    def line(self, x1: float, y1: float, x2: float, y2: float, stroke: str, *, more: str = "", title: str = "") -> None:
        """A straight line."""
        ends = f'x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"'
        self._shape(f'line {ends} stroke="{stroke}" {more}', title)

    def steps(self, points: list[tuple[float, float]], stroke: str, *, more: str = "", title: str = "") -> None:
        """A line that holds each value until the next point."""
        if not points:
            return
        path = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
        path += [f"H{x:.1f}V{y:.1f}" for x, y in points[1:]]
        self._shape(f'path d="{"".join(path)}" fill="none" stroke="{stroke}" {more}', title)

    def _shape(self, element: str, title: str) -> None:
        """One element; with a title that readers of a screen have too, and that the last line shows at once."""
        if not title:
            self.shapes.append(f"<{element}/>")
            return
        tip = f'<text class="tip" x="8" y="{self.height + TIP - 5:.0f}" fill="{INK}" font-size="12">'
        shape = f"<{element}><title>{words(title, 300)}</title></{element.partition(' ')[0]}>"
        self.shapes.append(f'<g class="h">{shape}{tip}{words(title, 150)}</text></g>')

    def lane(self, y: float, value: str) -> None:
        """The name of a lane, left of the axis; of one that is too long both ends, and all of it under the pointer."""
        half = LABEL_MAX // 2
        shown = value if len(value) <= LABEL_MAX else f"{value[:half]}\u2026{value[-half:]}"
        self.text(LEFT - 8, y, shown, anchor="end")
        if shown != value:
            self.box(0, y - 12, LEFT - 8, 16, "transparent", title=value)

    def text(
        self,
        x: float,
        y: float,
        value: object,
        *,
        fill: str = INK,
        size: int = 12,
        anchor: str = "start",
        more: str = "",
    ) -> None:
        """One line of text, its baseline at y."""
        look = f'fill="{fill}" font-size="{size}" text-anchor="{anchor}" {more}'
        self.shapes.append(f'<text x="{x:.1f}" y="{y:.1f}" {look}>{words(value)}</text>')

    def __str__(self) -> str:
        frame = f'viewBox="0 0 {self.width} {self.height + TIP:.0f}" role="img" aria-label="{words(self.label, 200)}"'
        if self.width < WIDTH:
            frame += f' style="min-width:0;max-width:{SCALE_MAX * self.width:.0f}px"'
        return f"<svg {frame}>{''.join(self.shapes)}</svg>"


@dataclass(frozen=True, slots=True)
class TimeAxis:
    """Milliseconds of a run to pixels."""

    end_ms: float
    """Right end; the left one is 0."""

    def x(self, t_ms: float) -> float:
        """Where a moment is; moments past the end are at the end."""
        share = min(max(t_ms / self.end_ms, 0.0), 1.0) if self.end_ms > 0 else 0.0
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def draw(self, drawing: Drawing, top: float, bottom: float) -> None:
        """Vertical lines at round seconds, with their labels below."""
        step = self._step_ms()
        count = int(self.end_ms / step) + 1
        for place in range(count):
            x = self.x(place * step)
            drawing.line(x, top, x, bottom, GRID)
            drawing.text(x, bottom + 14, f"{place * step / 1000:g} s", fill=FAINT, size=11, anchor="middle")

    def _step_ms(self) -> float:
        raw = max(self.end_ms, 1.0) / TICKS
        power = 10.0 ** (len(str(int(raw))) - 1)
        return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= raw)


def legend(drawing: Drawing, y: float, entries: list[tuple[str, str]]) -> None:
    """Colour and meaning, side by side."""
    x = float(LEFT)
    for colour, meaning in entries:
        drawing.box(x, y - 9, 10, 10, colour)
        drawing.text(x + 15, y, meaning, fill=FAINT, size=11)
        x += 27 + 6.4 * len(meaning)
