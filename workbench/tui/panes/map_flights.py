"""Messages on the links of the map, and how many there are. Nothing is drawn that no event told."""

from __future__ import annotations

from typing import NamedTuple

from rich.style import Style

from cluster.model.identifiers import NodeId
from cluster.picture.flights import Flight
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.map_links import HEALTHY, label_columns, lane_rows, port_of, stem_of, way_of, worse_of
from workbench.tui.panes.map_places import Box, Places
from workbench.tui.panes.message_words import FETCHES, label_of
from workbench.tui.panes.moment import moment_of
from workbench.tui.theme.palette import DIM, LINE, style
from workbench.tui.ui_state import UiState

SHOWN_MAX = 40
"""Messages on the map at one time."""
TRAIL = 3
PULSE_FROM = 60
"""Messages a second from which a link shows its rate alone, with one message a second."""
SECOND_NS = 1_000_000_000
LOST_FROM = 0.5
"""How far a message has come when it shows that it will not arrive."""


class Track(NamedTuple):
    """Where messages of one direction run."""

    x: int
    y: int
    length: int
    to_right: bool


def draw_flights(area: Area, ui: UiState, places: Places) -> None:
    """The newest messages that are on their way, then the rates between neighbours."""
    tracks = _tracks(ui, places)
    taken: dict[int, list[range]] = {}
    labels = _labels(ui, places, tracks)
    now_ns = moment_of(ui)
    shown = [flight for flight in ui.view.flights.shown(now_ns) if (flight.source, flight.target) in tracks]
    for flight in sorted(shown, key=_weight)[:SHOWN_MAX]:
        if _is_sampled_out(ui, flight, now_ns):
            continue
        drawn = _drawn(ui, tracks[flight.source, flight.target], flight, now_ns)
        columns = range(drawn.x - 1, drawn.x + len(drawn.text) + 1)
        row = taken.setdefault(drawn.y, [])
        if any(columns.start < other.stop and other.start < columns.stop for other in row):
            continue
        row.append(columns)
        for label in labels.get(drawn.y, ()):
            if columns.start < label.stop and label.start < columns.stop:  # what it leaves over would be half a word
                area.put(label.start, drawn.y, HEALTHY * len(label), LINE)
        area.parts(drawn.x, drawn.y, *drawn.parts)
        area.spot(drawn.x, drawn.y, len(drawn.text), 1, "message", flight.told_by)
    _draw_rates(area, ui, places)


def _labels(ui: UiState, places: Places, tracks: dict[tuple[NodeId, NodeId], Track]) -> dict[int, list[range]]:
    """Row -> columns in which a link says how slow it is."""
    rails = {frozenset((places.rows[number][0], places.rows[number][-1])) for number in places.rails}
    labels: dict[int, list[range]] = {}
    touched = {frozenset(way) for way in ui.view.links()}
    for (source, target), track in tracks.items():
        if frozenset((source, target)) in touched:
            is_rail = frozenset((source, target)) in rails
            way = (worse_of if is_rail else way_of)(ui.view, source, target)
            if columns := label_columns(track.x, track.length, way):
                labels.setdefault(track.y, []).append(columns)
    return labels


def _weight(flight: Flight) -> tuple[int, int]:
    """Votes and what is lost before fetches; of one kind the newest first."""
    rank = 0 if flight.is_lost or label_of(flight).role != "flow" else 1
    return rank, -flight.left_ns


def _is_sampled_out(ui: UiState, flight: Flight, now_ns: int) -> bool:
    """On a busy link a sample is a pulse: one a second."""
    if not flight.is_sample or now_ns % SECOND_NS <= SECOND_NS // 4:
        return False
    return ui.view.flights.rate(flight.source, flight.target) > PULSE_FROM


def _tracks(ui: UiState, places: Places) -> dict[tuple[NodeId, NodeId], Track]:
    """Of each direction that has a line on the map."""
    tracks: dict[tuple[NodeId, NodeId], Track] = {}
    for left, right in places.neighbours():
        one, other = places.boxes[left], places.boxes[right]
        upper, lower = lane_rows(one)
        x, length = one.right + 1, other.x - one.right - 1
        tracks[left, right] = Track(x, one.y + upper, length, to_right=True)
        tracks[right, left] = Track(x, one.y + lower, length, to_right=False)
    for number, y in places.rails.items():
        left, right = places.rows[number][0], places.rows[number][-1]
        one, other = places.boxes[left], places.boxes[right]
        x, end = (port_of(box, above=y < one.y) for box in (one, other))
        tracks[left, right] = Track(x + 1, y, end - x - 1, to_right=True)
        tracks[right, left] = Track(x + 1, y, end - x - 1, to_right=False)
    if places.bus >= 0:
        tracks |= _tracks_of_bus(ui, places)
    return tracks


def _tracks_of_bus(ui: UiState, places: Places) -> dict[tuple[NodeId, NodeId], Track]:
    leader = ui.view.leader_of_newest_epoch
    crowned: Box | None = places.boxes.get(leader) if leader > 0 else None
    if crowned is None:
        return {}
    tracks: dict[tuple[NodeId, NodeId], Track] = {}
    stem = stem_of(places, crowned).x
    for node, box in places.boxes.items():
        port = port_of(box, above=True)
        if box.y < places.bus or abs(port - stem) < 4:
            continue
        x, length = min(port, stem) + 1, abs(port - stem) - 1
        tracks[node, leader] = Track(x, places.bus, length, to_right=port < stem)
        tracks[leader, node] = Track(x, places.bus, length, to_right=port > stem)
    return tracks


class Drawn(NamedTuple):
    """A message as it stands on its link."""

    x: int
    y: int
    parts: tuple[tuple[str, Style], ...]

    @property
    def text(self) -> str:
        """All of it."""
        return "".join(text for text, _ in self.parts)


def _drawn(ui: UiState, track: Track, flight: Flight, now_ns: int) -> Drawn:
    """Trail, label and head; the head points where it goes. One that is lost stays where it was last seen."""
    label = label_of(flight)
    words = label.long if len(label.long) + 4 <= track.length else label.short
    words = words if len(words) + 2 <= track.length else ""
    at = 0.5 if ui.is_still else flight.position(now_ns)
    text = f"{words} \u25b8" if track.to_right else f"\u25c2 {words}"
    trail = "\u2500" * min(TRAIL, max(0, track.length - len(text)))
    bold, faded = style(label.role, bold=True), style(f"{label.role}_trail")
    behind: list[tuple[str, Style]] = [(trail, faded), (text, bold)]
    room = track.length - len(text) - len(trail)
    x = round(at * room) if track.to_right else round((1 - at) * room)
    if flight.is_lost and at >= LOST_FROM:
        ahead = room - x if track.to_right else x
        behind += _lost(ahead, to_right=track.to_right)
    if track.to_right:
        return Drawn(track.x + x, track.y, tuple(behind))
    parts = tuple(reversed(behind))
    lead = sum(len(part) for part, _ in parts) - len(text) - len(trail)
    return Drawn(track.x + x - lead, track.y, parts)


def _lost(room: int, *, to_right: bool) -> list[tuple[str, Style]]:
    """Sent, and it never arrived: what stands in front of it."""
    word = "\u2717 lost" if room >= 9 else "\u2717"
    if room < len(word) + 1:
        return []
    gap = min(4, room - len(word) - 1)
    sign = f" {word}" if to_right else f"{word} "
    return [("\u254c" * gap, style("no_trail")), (sign, style("no", bold=True))]


def _draw_rates(area: Area, ui: UiState, places: Places) -> None:
    """Above the lanes of two neighbours: how much they say to one another."""
    flights = ui.view.flights
    for left, right in places.neighbours():
        one, other = places.boxes[left], places.boxes[right]
        x, length = one.right + 1, other.x - one.right - 1
        if one.height < 5 or any(ui.view.nodes[node].process == "down" for node in (left, right)):
            continue
        rates = [flights.rates(*way) for way in ((left, right), (right, left))]
        fetches = sum(rate.get(kind, 0.0) for rate in rates for kind in FETCHES)
        others = sum(flights.rate(*way) for way in ((left, right), (right, left)))
        count, one_of, many = (fetches, "fetch", "fetches") if fetches >= 1 else (others, "message", "messages")
        words = f"{count:.0f} {one_of if round(count) == 1 else many}/s" if count >= 1 else ""
        if words and len(words) <= length:
            area.put(x + (length - len(words)) // 2, one.y + lane_rows(one)[0] - 1, words, DIM)
