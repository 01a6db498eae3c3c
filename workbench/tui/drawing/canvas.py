"""A grid of characters with styles. Panes draw on it; rows that changed become strips."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from itertools import groupby
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from workbench.tui.drawing.spots import Spot
from workbench.tui.drawing.strips import RowStrip
from workbench.tui.theme.palette import DIM, FOCUS, LINE, TEXT, TITLE, on_ground, stepped_back, without_colour
from workbench.tui.theme.themes import DARK, dressed


class Rect(NamedTuple):
    """Columns [x, x + width), rows [y, y + height)."""

    x: int
    y: int
    width: int
    height: int

    def inner(self) -> Rect:
        """Without a one-cell border."""
        return Rect(self.x + 1, self.y + 1, max(0, self.width - 2), max(0, self.height - 2))


Cells = list[tuple[list[str], list[Style]]]
"""Characters and styles of some rows."""


class Canvas:
    """Fixed grid. Writing outside is cut off; characters that are not one cell wide become a box."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.chars: list[list[str]] = [[" "] * width for _ in range(height)]
        self.styles: list[list[Style]] = [[TEXT] * width for _ in range(height)]
        self.spots: list[Spot] = []
        """What lies where, for the mouse; later ones on top."""

    def copy(self) -> Canvas:
        """The same cells; nothing for the mouse lies on them."""
        other = Canvas(self.width, self.height)
        other.chars, other.styles = [[*row] for row in self.chars], [[*row] for row in self.styles]
        return other

    def put(self, x: int, y: int, text: str, style: Style = TEXT) -> int:
        """Write text from (x, y); returns the column after it."""
        end = x + len(text)
        if 0 <= y < self.height and x < self.width and end > 0:
            if not (text.isascii() and text.isprintable()):
                text = _one_cell_each(text)
            if x < 0 or end > self.width:
                first, last = max(x, 0), min(end, self.width)
                text, x = text[first - x : last - x], first
            self.chars[y][x : x + len(text)] = text
            self.styles[y][x : x + len(text)] = [style] * len(text)
        return end

    def cells(self, rect: Rect) -> Cells:
        """A copy of an area that lies on the canvas."""
        rows, columns = slice(rect.y, rect.y + rect.height), slice(rect.x, rect.x + rect.width)
        return [(row[columns], looks[columns]) for row, looks in zip(self.chars[rows], self.styles[rows], strict=True)]

    def paste(self, rect: Rect, cells: Cells) -> None:
        """Put such a copy into the same area."""
        columns = slice(rect.x, rect.x + rect.width)
        for y, (row, looks) in enumerate(cells, start=rect.y):
            self.chars[y][columns], self.styles[y][columns] = row, looks

    def lay(self, rect: Rect, ground: str) -> None:
        """Put another plain ground under an area; fills stay."""
        for row in self.styles[rect.y : rect.y + rect.height]:
            part = row[rect.x : rect.x + rect.width]
            row[rect.x : rect.x + rect.width] = _each(part, partial(on_ground, ground=ground))

    def step_back(self, lit: Rect | None = None) -> None:
        """Make all that was drawn so far grey, but for a part: what is drawn over it stands in front."""
        before = self.styles
        self.styles = [_each(row, stepped_back) for row in before]
        if lit is not None:
            for y in range(lit.y, min(lit.y + lit.height, self.height)):
                self.styles[y][lit.x : lit.x + lit.width] = before[y][lit.x : lit.x + lit.width]

    def frame_sides(self, rect: Rect, style: Style) -> None:
        """The upright edges of a frame, without its corners."""
        columns = [x for x in {rect.x, rect.x + rect.width - 1} if 0 <= x < self.width]
        for y in range(max(0, rect.y + 1), min(rect.y + rect.height - 1, self.height)):
            chars, styles = self.chars[y], self.styles[y]
            for x in columns:
                chars[x], styles[x] = "\u2502", style

    def area(self, rect: Rect) -> Area:
        """A part with its own origin that nothing is drawn outside of."""
        return Area(self, rect)

    def reduce(self, glyphs: str) -> None:
        """Take all colour away unless they are full, and of ascii every character beyond it: one character for each."""
        for y in range(self.height if glyphs != "full" else 0):
            self.styles[y] = _each(self.styles[y], without_colour)
            if glyphs == "ascii":
                row = "".join(self.chars[y])
                if not row.isascii():
                    self.chars[y] = list(ascii_text(row))

    def text_rows(self) -> list[str]:
        """Plain rows, for tests."""
        return ["".join(row) for row in self.chars]

    def changed_rows(self, before: Canvas | None) -> list[int]:
        """Rows that differ from an earlier canvas; all of them when sizes differ."""
        if before is None or (before.width, before.height) != (self.width, self.height):
            return list(range(self.height))
        return [y for y in range(self.height) if self.chars[y] != before.chars[y] or self.styles[y] != before.styles[y]]

    def strip(self, y: int, theme: str = DARK.name) -> RowStrip:
        """Row y with equal neighbours joined, in the colours of a theme."""
        chars, styles = self.chars[y], self.styles[y]
        segments: list[Segment] = []
        text, is_dark, start = "".join(chars), theme == DARK.name, 0
        for look, count in _runs(styles):
            segments.append(Segment(text[start : start + count], look if is_dark else dressed(look, theme)))
            start += count
        return RowStrip(segments, self.width)


class Area:
    """A clipped window on a canvas."""

    def __init__(self, canvas: Canvas, rect: Rect) -> None:
        self.canvas, self.rect = canvas, rect
        self._left, self._top, self.width, self.height = rect
        right, low = rect.x + rect.width, rect.y + rect.height
        self._is_within = rect.x >= 0 <= rect.y and right <= canvas.width and low <= canvas.height

    def put(self, x: int, y: int, text: str, style: Style = TEXT) -> int:
        """Write text inside the window; returns the column after it."""
        end = x + len(text)
        if 0 <= y < self.height and x < self.width:
            if x < 0:
                text, x = text[-x:], 0
            if end > self.width:
                text = text[: self.width - x]
            if self._is_within and text.isascii() and text.isprintable():  # most of what is written, the short way
                first, row = self._left + x, self._top + y
                self.canvas.chars[row][first : first + len(text)] = text
                self.canvas.styles[row][first : first + len(text)] = [style] * len(text)
            else:
                self.canvas.put(self._left + x, self._top + y, text, style)
        return end

    def parts(self, x: int, y: int, *parts: tuple[str, Style]) -> int:
        """Write several styled texts one after the other."""
        for text, style in parts:
            x = self.put(x, y, text, style)
        return x

    def right(self, y: int, text: str, style: Style = TEXT) -> None:
        """Write text that ends at the right edge."""
        self.put(max(0, self.width - len(text)), y, text, style)

    def part(self, x: int, y: int, width: int, height: int) -> Area:
        """A window in this window."""
        width, height = min(width, self.width - x), min(height, self.height - y)
        return Area(self.canvas, Rect(self.rect.x + x, self.rect.y + y, max(0, width), max(0, height)))

    def spot(self, x: int, y: int, width: int, height: int, kind: str, *value: object) -> None:
        """Say what lies on these cells of the window."""
        right, low = min(x + width, self.width), min(y + height, self.height)
        x, y = max(0, x), max(0, y)
        if x < right and y < low:
            self.canvas.spots.append(Spot(self.rect.x + x, self.rect.y + y, right - x, low - y, kind, value))

    def clear(self, style: Style = TEXT) -> None:
        """Fill with blanks."""
        for y in range(self.height):
            self.put(0, y, " " * self.width, style)


def _runs(looks: list[Style]) -> Iterator[tuple[Style, int]]:
    """Each style of a row, and how many cells beside one another have it."""
    for _, same in groupby(looks, id):
        cells = [*same]
        yield cells[0], len(cells)


def _each(looks: list[Style], change: Callable[[Style], Style]) -> list[Style]:
    """Each of a row changed; neighbours are mostly one and the same, and the change is asked for once."""
    changed: list[Style] = []
    for look, count in _runs(looks):
        changed += [change(look)] * count
    return changed


def panel(canvas: Canvas, rect: Rect, title: str, note: str = "", *, focused: bool = False) -> Area:
    """A framed pane; returns its inside."""
    edge = FOCUS if focused else LINE
    frame = canvas.area(rect)
    frame.put(0, 0, "\u256d" + "\u2500" * (rect.width - 2) + "\u256e", edge)
    canvas.frame_sides(rect, edge)
    frame.put(0, rect.height - 1, "\u2570" + "\u2500" * (rect.width - 2) + "\u256f", edge)
    end = frame.put(2, 0, f" {title} "[: rect.width - 4], TITLE)
    _put_note(frame, end, note, rect.width - 5 - end, TEXT)
    return canvas.area(rect.inner())


def head(canvas: Canvas, rect: Rect, title: str, note: str = "", *, focused: bool = False) -> Area:
    """A pane with a head line and no box; returns what is below it. The number in the title is lit when the pane has
    the keys."""
    line = canvas.area(rect)
    line.put(0, 0, "\u2500" * rect.width, LINE)
    number, _, name = title.partition(" ")
    end = line.parts(1, 0, (f" {number} ", FOCUS if focused else DIM), (f"{name} ", TITLE))
    _put_note(line, end, note, rect.width - 3 - end, DIM)
    return canvas.area(Rect(rect.x, rect.y + 1, rect.width, max(0, rect.height - 1)))


def _put_note(area: Area, x: int, note: str, room: int, look: Style) -> None:
    """Of one that is too long the last parts, two blanks apart, go first."""
    while len(note) > room and "  " in note:
        note = note.rpartition("  ")[0].rstrip()
    if note and room > 2:
        area.put(x, 0, f" {fit(note, room)} ", look)


_ASCII = str.maketrans(
    {
        **dict.fromkeys("\u256d\u256e\u256f\u2570\u250c\u2510\u2514\u2518\u252c\u2534\u2554\u2557\u255a\u255d", "+"),
        **dict.fromkeys("\u2500\u2504\u2014", "-"), "\u2550": "=",
        **dict.fromkeys("\u2502\u2506\u2551\u2503", "|"), "\u258c": "]",
        "\u2190": "<", "\u2192": ">", "\u2191": "^", "\u2193": "v", "\u2194": "=",
        "\u25b6": ">", "\u25c0": "<", "\u25b2": "^", "\u25bc": "v",
        "\u2605": "*", "\u2606": "*", "\u2717": "x", "\u2713": "+", "\u2702": "%", "\u2573": "X", "\u00d7": "x",
        "\u2501": "=", "\u2578": "-", "\u257a": "-", "\u2579": "|", "\u257b": "|", "\u254c": "-", "\u254e": "|",
        "\u2508": ".", "\u2506": "|", "\u250f": "+", "\u2513": "+", "\u2517": "+", "\u251b": "+", "\u252f": "+",
        "\u2537": "+", "\u2539": "+", "\u253a": "+", "\u2523": "+", "\u252b": "+", "\u2533": "+", "\u253b": "+",
        "\u2542": "+", "\u2530": "+", "\u254b": "+",
        "\u251c": "+", "\u2524": "+", "\u2520": "+", "\u2528": "+", "\u253c": "+",
        "\u25b8": ">", "\u25c2": "<", "\u25be": "v", "\u25b4": "^", "\u22ef": ":", "\u2260": "#", "\u2590": "]",
        "\u240a": "&",
        "\u25cf": "o", "\u25cb": ".", "\u25d4": "@", "\u25c6": "#", "\u25a0": "Y", "\u25a1": ".", "\u2016": "=",
        "\u2588": "#", "\u2593": "+", "\u2591": ".", "\u2248": "~", "\u2026": "~", "\u00b7": ".",
        **{chr(0x2580 + level): "_.-:=+*#"[level - 1] for level in range(1, 8)},
    }
)  # fmt: skip


def ascii_text(text: str) -> str:
    """The text in ASCII, one character for each; what has no likeness becomes a question mark."""
    return "".join(char if char < "\x7f" else "?" for char in text.translate(_ASCII))


@lru_cache(maxsize=4096)
def _one_cell_each(text: str) -> str:
    return "".join(_one_cell(char) for char in text)


@lru_cache(maxsize=4096)
def _one_cell(char: str) -> str:
    if char < " " or "\x7f" <= char < "\xa0":
        return "\u241b"
    return char if cell_len(char) == 1 and char.isprintable() else "\u25af"


def fit(text: str, room: int) -> str:
    """As much of a line as has room; where it is cut, it is between two words unless that would cost half of it."""
    if len(text) <= room:
        return text
    kept = text[: max(0, room - 1)]
    words = kept if text[len(kept)] == " " else kept.rpartition(" ")[0]
    return (words if 2 * len(words) >= room else kept).rstrip(" ,;:") + "\u2026"


def first_of(lines: list[tuple[str, Style]], rows: int, room: int) -> list[tuple[str, Style]]:
    """So many lines, each in its room; the last one says how many are not shown."""
    shown, left = [(fit(text, room), look) for text, look in lines[: max(0, rows)]], len(lines) - max(0, rows)
    if shown and left > 0:
        text, more = lines[len(shown) - 1][0], f"  {left} more"
        shown[-1] = fit(text, room - len(more)) + more, shown[-1][1]
    return shown


def whole(text: str, room: int) -> str:
    """As many whole sentences, from the first, as have room; where not even one has, as much of it as has."""
    if len(text) <= room:
        return text
    end = text.rfind(". ", 0, room + 1)
    return text[: end + 1] if end > 0 else fit(text, room)


def wrap(text: str, width: int) -> list[str]:
    """Words in lines of at most width; a longer word is cut."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split():
            while len(word) > width > 0:
                if line:
                    lines.append(line)
                    line = ""
                lines.append(word[:width])
                word = word[width:]
            if not line:
                line = word
            elif len(line) + 1 + len(word) <= width:
                line += " " + word
            else:
                lines.append(line)
                line = word
        lines.append(line)
    return lines
