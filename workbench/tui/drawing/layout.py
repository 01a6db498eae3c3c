"""Where each pane lies at each size: pure arithmetic, no overlap. Words stand left, pictures right."""

from __future__ import annotations

from workbench.tui.drawing.canvas import Rect

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
WIDE = 160
"""Columns from which nothing yields."""
PANES = ("lesson", "map", "quorum", "logs", "isr", "events", "clients")
GAP = 2
"""Columns between two panes."""
FEW_LINES = 4
"""Rows of the story where there is room for little else, its head included."""

STORY_LEAST = 8
"""Rows that the missions of a free lab leave to the story, its head included."""
LEAST_BELOW = 5
"""Rows of the pane below a lesson: its head, and enough of a log to be worth them."""


def fits(width: int, height: int) -> bool:
    """Whether the workbench can be drawn at all."""
    return width >= LEAST_WIDTH and height >= LEAST_HEIGHT


def is_small(width: int, height: int) -> bool:
    """Whether only half of the map and one large pane have room."""
    return width < 100 or height < 30


STAGE_LEAST = 56
"""Columns that the pictures keep beside a figure."""
BESIDE_LEAST = 70
"""Columns of the pictures from which logs and close-up stand side by side; else there is one of them."""


def words_width(width: int, figure: int = 0) -> int:
    """Columns of the words: never more than a line of prose can be read in, but as many as a figure has."""
    if figure and width - (figure + 2) - GAP >= STAGE_LEAST:
        return max(figure + 2, words_width(width))
    for least, columns in ((200, min(60, 50 + (width - 200) // 8)), (WIDE, 46), (120, 34)):
        if width >= least:
            return columns
    return 28


def arrange(
    width: int,
    height: int,
    *,
    zoom: str = "",
    main: str = "quorum",
    banner: int = 0,
    side: str = "quorum",
    clients: bool = False,
    lesson: bool = False,
    tasks: int = 0,
    figure: int = 0,
    show: str = "",
    asked: int = 0,
) -> dict[str, Rect]:
    """Rectangle of each shown pane, its head included, and of the header, headline, answer and key rows.

    zoom shows one pane alone; main is the large pane of the smallest layout; banner is the number of rows that the
    headline has more than its one; side is the pane of the close-up, or clients in its place; when there are clients a
    wide screen shows them below the story; a lesson has more rows than the tasks of the free lab, which have as many as
    they take (tasks; 0 for none) beside a short story, and of which the smallest layout has a row for the one to do;
    asked is the number of rows of a question that is open, with all that is to be read before it; figure is the number
    of columns of its widest figure, and show the pane at which it is to be looked.
    """
    places = {
        "header": Rect(0, 0, width, 1),
        "headline": Rect(0, 1, width, 1 + banner),
        "answer": Rect(0, height - 2, width, 1),
        "keys": Rect(0, height - 1, width, 1),
    }
    body = Rect(0, 2 + banner, width, height - 4 - banner)
    if zoom:
        places[zoom] = body
    elif is_small(width, height):
        has_row = tasks > 0 and main != "lesson"
        room = body._replace(height=body.height - has_row)
        is_held = show not in ("", "lesson")
        if is_held and lesson:
            places.update(_beside_words(room, show))
        else:
            places.update(_small(room, show if is_held else main, side, lesson=lesson, asked=asked))
        if has_row:
            places["task"] = Rect(body.x, body.y + body.height - 1, body.width, 1)
    else:
        words = Rect(0, body.y, words_width(width, figure), body.height)
        stage = Rect(words.width + GAP, body.y, width - words.width - GAP, body.height)
        beside = clients and width >= WIDE and side != "clients"
        stands = _stage(stage, side, show)
        below = _words(words, stands["map"].height, clients=beside, lesson=lesson, tasks=tasks)
        if show == "events":  # below the words it has a few rows only
            below.pop("events", None)
            below["lesson"] = words
        places.update(below)
        places.update(stands if show in ("", *below, *stands) else _stage(stage, show, show))
    return places


def _stage(stage: Rect, side: str, show: str) -> dict[str, Rect]:
    """The map on top, logs and close-up below it, the timeline at the bottom; the middle has what is left over.

    show: the pane at which a lesson holds the view; where there is room for one beside a figure, it is that or logs.
    """
    tall = stage.height
    the_map = 19 if tall >= 41 else 18 if tall >= 36 else max(10, tall - 13)
    timeline = 10 if tall >= 41 else 6 if tall >= 33 else 5
    middle = tall - the_map - timeline
    y = stage.y + the_map
    places = {
        "map": Rect(stage.x, stage.y, stage.width, the_map),
        "isr": Rect(stage.x, y + middle, stage.width, timeline),
    }
    if stage.width < BESIDE_LEAST:
        return {**places, side if show == side else "logs": Rect(stage.x, y, stage.width, middle)}
    left = _logs_width(stage.width - GAP, side)
    beside = Rect(stage.x + left + GAP, y, stage.width - GAP - left, middle)
    return {**places, "logs": Rect(stage.x, y, left, middle), side: beside}


def _logs_width(both: int, side: str) -> int:
    """Of the columns that logs share with the pane beside them; what clients do is told in longer rows than a vote."""
    if both < 98:
        return both * 5 // 9 if side == "quorum" else both // 2 - 1
    return both * 6 // 11 if both < 138 else both - max(70, both * 2 // 5)


def _words(words: Rect, beside_map: int, *, clients: bool, lesson: bool, tasks: int) -> dict[str, Rect]:
    """A task as high as the map, or as it is, and the story below it; a lesson's text has all but a few rows."""
    upper = min(max(beside_map, tasks), words.height - STORY_LEAST)
    if lesson:
        upper = words.height - (8 if words.height >= 44 else 1)
    low = words.height - upper if upper < words.height - 1 else 0  # a long answer covers a row
    places = {"lesson": words._replace(height=upper)}
    if clients and low >= 16:
        part = low // 2
        places["clients"] = Rect(words.x, words.y + words.height - part, words.width, part)
        low -= part
    if low:
        places["events"] = Rect(words.x, words.y + upper, words.width, low)
    return places


def _beside_words(body: Rect, show: str) -> dict[str, Rect]:
    """Where a lesson holds the view: a few rows of its words, and below them the pane at which it is to be looked."""
    return {"lesson": body._replace(height=6), show: body._replace(y=body.y + 6, height=body.height - 6)}


def _small(body: Rect, main: str, side: str, *, lesson: bool, asked: int) -> dict[str, Rect]:
    """Of a lab: the half of the map that acts, the pane in view, two lines of the story. Of a lesson: its text.

    While a question is open nothing of it is hidden for the sake of a picture of what was before.
    """
    if main in ("lesson", "events"):
        low = min(7, body.height // 2)
        if main == "lesson" and asked > body.height - low:
            low = max(0, body.height - asked)
            if low < LEAST_BELOW:
                return {main: body}
        below = "map" if not lesson else "clients" if side == "clients" else "logs"
        upper = {below: body._replace(y=body.y + body.height - low, height=low)}
        return {main: body._replace(height=body.height - low), **upper}
    if main in ("clients", "isr"):
        few = body._replace(y=body.y + body.height - FEW_LINES, height=FEW_LINES)
        return {main: body._replace(height=body.height - FEW_LINES), "events": few}
    top, rows = ("lesson", 8) if lesson else ("map", 8)
    if main == "map":
        rows, top = body.height - FEW_LINES, "map"
    places = {top: body._replace(height=rows)}
    rest = body.height - rows
    story = 0 if lesson and main != "map" else FEW_LINES
    if main != "map":
        places[main] = Rect(body.x, body.y + rows, body.width, rest - story)
    if story:
        places["events"] = Rect(body.x, body.y + body.height - story, body.width, story)
    return places
