"""Where each pane lies at each size: pure arithmetic, no overlap."""

from __future__ import annotations

from workbench.tui.drawing.canvas import Rect

LEAST_WIDTH, LEAST_HEIGHT = 80, 24
WIDE = 160
"""Columns from which the largest layout is drawn."""
PANES = ("lesson", "map", "quorum", "logs", "isr", "events", "clients")


def fits(width: int, height: int) -> bool:
    """Whether the workbench can be drawn at all."""
    return width >= LEAST_WIDTH and height >= LEAST_HEIGHT


def is_small(width: int, height: int) -> bool:
    """Whether only one large pane and one small one have room."""
    return width < 100 or height < 30


def arrange(
    width: int,
    height: int,
    *,
    zoom: str = "",
    main: str = "quorum",
    lanes: int = 3,
    banner: int = 0,
    side: str = "quorum",
    clients: bool = False,
) -> dict[str, Rect]:
    """Rectangle of each shown pane, plus header, answer and keys rows.

    zoom shows one pane alone; main is the large pane of the smallest layout; lanes is the number of log rows wanted;
    banner is the number of rows between header and panes; side is the pane beside the map; when there are clients a
    wide screen shows them beside the events.
    """
    places = {
        "header": Rect(0, 0, width, 1),
        "answer": Rect(0, height - 2, width, 1),
        "keys": Rect(0, height - 1, width, 1),
    }
    if banner:
        places["banner"] = Rect(0, 1, width, banner)
    body = Rect(0, 1 + banner, width, height - 3 - banner)
    if zoom:
        places[zoom] = body
    elif is_small(width, height):
        places.update(_two(body, main, lanes))
    else:
        places.update(_many(body, lanes, side, clients=clients))
    return places


def _many(body: Rect, lanes: int, side: str, *, clients: bool) -> dict[str, Rect]:
    wide = body.width >= WIDE
    lesson = 42 if wide else 34 if body.width >= 120 else 28
    right, width = body.x + lesson, body.width - lesson
    logs = min(lanes + 5, 13)
    top = max(12, min(18, body.height - logs - 16)) if wide else max(10, min(13, body.height - logs - 8))
    ribbon = 10 if wide else max(8, min(9, body.height - top - logs))
    logs = min(logs, body.height - top - ribbon)
    events = body.height - top - logs - ribbon
    if events < 4:
        ribbon, events = ribbon + events, 0
    half = width // 2
    y = body.y
    places = {
        "lesson": Rect(body.x, y, lesson, body.height),
        "map": Rect(right, y, half, top),
        side: Rect(right + half, y, width - half, top),
        "logs": Rect(right, y + top, width, logs),
        "isr": Rect(right, y + top + logs, width, ribbon),
    }
    if events:
        low = y + top + logs + ribbon
        beside = width // 2 if clients and wide and side != "clients" else 0
        places["events"] = Rect(right, low, width - beside, events)
        if beside:
            places["clients"] = Rect(right + width - beside, low, beside, events)
    return places


def _two(body: Rect, main: str, lanes: int) -> dict[str, Rect]:
    below = "isr" if main == "logs" else "logs"
    low = 9 if below == "isr" else min(lanes + 4, 9)
    tall = body.height - low
    return {
        main: Rect(body.x, body.y, body.width, tall),
        below: Rect(body.x, body.y + tall, body.width, low),
    }
