"""Links of the map: two lanes between neighbours, rails between the outer nodes of a row, the brokers' bus.

Traffic keeps to the right: the upper lane goes to the right, the lower one to the left.
"""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import NodeId
from cluster.picture.parts import NodeState
from workbench.session.views.cluster import ClusterView, LinkView
from workbench.session.views.sides import sides_of
from workbench.telling.words import node_name
from workbench.tui.drawing.canvas import Area, whole
from workbench.tui.panes.map_places import Box, Places
from workbench.tui.theme.palette import BAD, CROWN, DIM, LINE, RAIL, TEXT, WARN, style
from workbench.tui.ui_state import UiState

CUT = style("no_trail")
SLOW = style("ask_trail")
HEALTHY, DEAD, CROSS = "\u2500", "\u2508", "\u2573"
UNDER_CROWN = 8
"""Columns from the right edge of the active controller to the stem that hangs under its crown."""
BESIDE = 3
"""Columns from a box to the stem that passes the boxes below it."""
PORT = 2
"""Columns from a box's right edge to where a rail or the bus meets it."""


WHAT_FOR = (
    "brokers ask the leader for metadata, and tell it that they live",
    "brokers ask it for metadata, and tell that they live",
    "brokers ask it for metadata",
)
"""What runs between controllers and brokers; the shorter ones are for narrow maps."""
LEADS_ON = " What leads a partition leads on."
KEEPS_SESSION = "; each broker keeps a session with it"


class Way(NamedTuple):
    """One direction of a link as it is drawn."""

    glyph: str
    look: Style
    label: str = ""
    label_look: Style = TEXT


def way_of(view: ClusterView, source: NodeId, target: NodeId) -> Way:
    """How one direction looks when nothing travels on it."""
    fault: LinkView | None = view.links().get((source, target))
    gone = any(view.nodes[node].process == "down" for node in (source, target) if node in view.nodes)
    if fault is not None and fault.is_cut:
        return Way(DEAD if gone else HEALTHY, CUT, CROSS, BAD)
    if gone:
        return Way(DEAD, CUT)
    if fault is not None:
        return Way(HEALTHY, SLOW, f"\u2248 {fault.text}", WARN)
    return Way(HEALTHY, LINE)


def draw_way(area: Area, x: int, y: int, length: int, way: Way) -> None:
    """A stretch of link; its label in the middle. Crosses stand near both ends: what is held lies between them."""
    area.put(x, y, way.glyph * length, way.look)
    if way.label == CROSS and length > 2:
        for place in (length // 6, length - 1 - length // 6):
            area.put(x + place, y, CROSS, way.label_look)
        return
    text = _label(way, length)
    area.put(x + (length - len(text)) // 2, y, text, way.label_look)


def label_columns(x: int, length: int, way: Way) -> range:
    """Where the label of a slow stretch stands; empty without one."""
    text = "" if way.label == CROSS else _label(way, length)
    start = x + (length - len(text)) // 2
    return range(start, start + len(text))


def _label(way: Way, length: int) -> str:
    if not way.label or length < 1:
        return ""
    label = way.label if len(way.label) + 2 <= length else way.label[:1]
    return f" {label} " if len(label) > 1 else label


def draw_lanes(area: Area, ui: UiState, places: Places) -> None:
    """Between each two neighbours."""
    for left, right in places.neighbours():
        one, other = places.boxes[left], places.boxes[right]
        x, length = one.right + 1, other.x - one.right - 1
        for row, (source, target) in zip(lane_rows(one), ((left, right), (right, left)), strict=True):
            draw_way(area, x, one.y + row, length, way_of(ui.view, source, target))
            _ends(area, ui, one.y + row, (left, one), (right, other))


def lane_rows(box: Box) -> tuple[int, int]:
    """Rows of a box where its upper and its lower lane meet it."""
    return (2, 3) if box.height > 4 else (1, 2) if box.height > 3 else (1, 1)


def _ends(area: Area, ui: UiState, y: int, left: tuple[NodeId, Box], right: tuple[NodeId, Box]) -> None:
    """Where a lane meets two boxes; the frame of one that is down stays closed."""
    for (node, _), x, light, heavy in (
        (left, left[1].right, "\u251c", "\u2520"),
        (right, right[1].x, "\u2524", "\u2528"),
    ):
        if ui.view.nodes[node].process == "down":
            continue
        if not (0 <= y < area.height and 0 <= x < area.width):
            continue
        is_heavy = area.canvas.chars[area.rect.y + y][area.rect.x + x] == "\u2503"
        look = area.canvas.styles[area.rect.y + y][area.rect.x + x]
        area.put(x, y, heavy if is_heavy else light, look)


def draw_rails(area: Area, ui: UiState, places: Places) -> None:
    """Between the outer two of three: above the first row, below the last."""
    for number, y in places.rails.items():
        left, right = places.rows[number][0], places.rows[number][-1]
        one, other = places.boxes[left], places.boxes[right]
        worse = worse_of(ui.view, left, right)
        above = y < one.y
        x, end = port_of(one, above=above), port_of(other, above=above)
        area.put(x, y, "\u256d" if above else "\u2570", worse.look)
        area.put(end, y, "\u256e" if above else "\u256f", worse.look)
        draw_way(area, x + 1, y, end - x - 1, worse)
        for node, box, at in ((left, one, x), (right, other, end)):
            if ui.view.nodes[node].process != "down" or not above:
                _foot(area, at, box.y if above else box.low, up=above)


def worse_of(view: ClusterView, left: NodeId, right: NodeId) -> Way:
    """Both directions of a link that is drawn as one line: the one that has something to tell."""
    there, back = way_of(view, left, right), way_of(view, right, left)
    return there if there.label or there.glyph != HEALTHY else back


def port_of(box: Box, *, above: bool) -> int:
    """The column where a rail or the bus meets a box."""
    return box.right - PORT + 1 if above else box.x + box.width // 2


def _foot(area: Area, x: int, y: int, *, up: bool) -> None:
    """A link leaves a box here, through its upper or its lower edge."""
    if not (0 <= y < area.height and 0 <= x < area.width):
        return
    char = area.canvas.chars[area.rect.y + y][area.rect.x + x]
    look = area.canvas.styles[area.rect.y + y][area.rect.x + x]
    feet = {"\u2500": "\u2534" if up else "\u252c", "\u2501": "\u2537" if up else "\u252f"}
    area.put(x, y, feet.get(char, char), look)


def _asked(view: ClusterView, places: Places) -> Box | None:
    """Whom brokers depend on: the leader of the quorum, or in zookeeper mode the coordinator; None while it is away."""
    if view.zookeeper.is_used:
        return next((places.boxes.get(node.node_id) for node in view.nodes.values() if is_coordinator(node)), None)
    leader = view.leader_of_newest_epoch
    return places.boxes.get(leader) if leader > 0 else None


def is_coordinator(node: NodeState) -> bool:
    """Whether it stands for a ZooKeeper ensemble, and runs."""
    return node.roles == ("zookeeper",) and node.is_up


class Stem(NamedTuple):
    """The way from the active controller down to the bus."""

    x: int
    y: int
    """The row in which it leaves the box, or the one below."""
    side: int
    """1 where it leaves through the right edge of the box, -1 through the left one, 0 through the lower one."""


def stem_of(places: Places, crowned: Box) -> Stem:
    """Straight down, or past the boxes that stand between the active controller and the bus."""
    x = crowned.right - UNDER_CROWN + 1
    between = (box for box in places.boxes.values() if crowned.low < box.y < places.bus)
    if not any(box.x <= x <= box.right for box in between):
        return Stem(x, crowned.low + 1, 0)
    row = next(row for row in places.rows if any(places.boxes[node] == crowned for node in row))
    if len(row) > 1 and places.boxes[row[-1]] == crowned:
        return Stem(crowned.x - BESIDE, crowned.low, -1)
    return Stem(crowned.right + BESIDE, crowned.low, 1)


def _draw_stem(area: Area, stem: Stem, crowned: Box, bus: int, look: Style) -> None:
    """It crosses the lanes that it meets."""
    first = stem.y
    if stem.side:
        left, right = (crowned.right + 1, stem.x) if stem.side > 0 else (stem.x + 1, crowned.x)
        area.put(left, stem.y, HEALTHY * (right - left), look)
        area.put(stem.x, stem.y, "\u256e" if stem.side > 0 else "\u256d", look)
        edge = crowned.right if stem.side > 0 else crowned.x
        area.put(edge, stem.y, "\u2539" if stem.side > 0 else "\u253a", CROWN)
        first += 1
    else:
        area.put(stem.x, crowned.low, "\u252f", CROWN)
    for y in range(first, bus):
        meets = 0 <= stem.x < area.width and 0 <= y < area.height and (
            area.canvas.chars[area.rect.y + y][area.rect.x + stem.x] in (HEALTHY, DEAD)
        )  # fmt: skip
        area.put(stem.x, y, "\u253c" if meets else "\u2502", look)


def draw_bus(area: Area, ui: UiState, places: Places) -> None:
    """From the brokers to the active controller: a stem hangs under the crown; without a leader there is none."""
    if places.bus < 0:
        return
    brokers = [places.boxes[node] for row in places.rows for node in row if places.boxes[node].y > places.bus]
    first = min((box.y for box in brokers), default=0)
    ports = sorted(port_of(box, above=True) for box in brokers if box.y == first)
    crowned = _asked(ui.view, places)
    glyph, look = (HEALTHY, RAIL) if crowned is not None else (DEAD, CUT)
    hangs = stem_of(places, crowned) if crowned is not None else None
    stem = hangs.x if hangs is not None else -1
    x, end = min(ports + ([stem] if stem >= 0 else [])), max(ports + ([stem] if stem >= 0 else []))
    area.put(x, places.bus, glyph * (end - x + 1), look)
    for port in ports:
        corner = "\u256d" if port == x else "\u256e" if port == end else "\u252c"
        area.put(port, places.bus, corner, look)
        _foot(area, port, first, up=True)
    if crowned is None or hangs is None:
        return
    corner = (
        "\u2570" if stem == x and stem not in ports else "\u256f" if stem == end and stem not in ports else "\u2534"
    )
    area.put(stem, places.bus, corner if stem not in ports else "\u253c", look)
    _draw_stem(area, hangs, crowned, places.bus, look)


def draw_caption(area: Area, ui: UiState, places: Places) -> None:
    """Under the controllers, in words: what the bus is for, which of its links suffer, or that nobody leads."""
    if places.caption < 0:
        return
    view = ui.view
    crowned = _asked(view, places)
    stem = stem_of(places, crowned).x if crowned is not None else area.width
    left = 1
    right = stem - 2
    if right < 40:
        left, right = stem + 3, area.width - 1
    parts: list[tuple[str, Style]] = []
    is_asked = view.runs(node for node, node_state in view.nodes.items() if "broker" in node_state.roles)
    leads_on = LEADS_ON * view.is_led
    words = broken_words(view, places)
    if words:
        parts.append((words, BAD if CROSS in words else WARN))
    elif view.voters and crowned is None and view.newest_epoch:
        parts = [
            ("no leader to ask: ", BAD),
            (f"no new topic, no change of the ISR.{leads_on}", DIM),
        ]
    elif view.zookeeper.is_used:
        here = "one process stands for the ZooKeeper ensemble" + KEEPS_SESSION * is_asked
        silent = f"no ZooKeeper: no other controller, no other ISR.{leads_on}"
        parts = [(here, style("faint"))] if crowned is not None else [(silent, BAD)]
    elif crowned is not None and is_asked:
        captions = (caption for caption in WHAT_FOR if len(caption) <= right - left)
        parts.append((next(captions, ""), style("faint")))
    room = right - left
    for text, look in parts:
        shown = whole(text, room)
        left = area.put(left, places.caption, shown, look)
        room -= len(shown)


def broken_words(view: ClusterView, places: Places) -> str:
    """Links that a fault touches and that have no line of their own on the map, nor the wall of a cut network."""
    drawn = {frozenset(pair) for pair in places.neighbours()}
    drawn |= {frozenset((places.rows[number][0], places.rows[number][-1])) for number in places.rails}
    side = {node: part.name for part in sides_of(view) for node in part.nodes}
    broken: dict[frozenset[NodeId], dict[tuple[NodeId, NodeId], str]] = {}
    for way, link in sorted(view.links().items()):
        if frozenset(way) not in drawn and side.get(way[0]) == side.get(way[1]):
            sign = CROSS if link.is_cut else f"\u2248 {link.text}"
            broken.setdefault(frozenset(way), {})[way] = sign
    texts = []
    for ways in broken.values():
        (source, target), sign = next(iter(ways.items()))
        both = len(ways) == 2 and len(set(ways.values())) == 1
        arrow = "\u2194" if both else "\u2192"
        texts.append(f"{sign} {node_name(source)}{arrow}{node_name(target)}")
        if len(ways) == 2 and not both:
            (source, target), sign = list(ways.items())[1]
            texts.append(f"{sign} {node_name(source)}\u2192{node_name(target)}")
    return "  ".join(texts)
