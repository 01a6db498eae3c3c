"""Messages on the links of the map, and how many there are. Nothing is drawn that no event told."""

from __future__ import annotations

from typing import NamedTuple

from cluster.model.identifiers import NodeId
from cluster.picture.flights import Flight
from workbench.tui.drawing.canvas import Area
from workbench.tui.panes.map_links import UNDER_CROWN, lane_rows, port_of
from workbench.tui.panes.map_places import Box, Places
from workbench.tui.panes.message_words import label_of
from workbench.tui.panes.moment import moment_of
from workbench.tui.theme.palette import DIM, style
from workbench.tui.ui_state import UiState

SHOWN_MAX = 40
"""Messages on the map at one time."""
TRAIL = 3
RATE_FROM = 20
"""Messages a second on a link from which its rate is said."""
PULSE_FROM = 60
"""From here on a link shows its rate alone, with one message a second."""
SECOND_NS = 1_000_000_000


class Track(NamedTuple):
    """Where messages of one direction run."""

    x: int
    y: int
    length: int
    to_right: bool


def draw_flights(area: Area, ui: UiState, places: Places) -> None:
    """The newest messages that are on their way, then the rates between neighbours."""
    tracks = _tracks(ui, places)
    taken: set[Track] = set()
    now_ns = moment_of(ui)
    shown = [flight for flight in ui.view.flights.shown(now_ns) if (flight.source, flight.target) in tracks]
    for flight in sorted(shown, key=_weight)[:SHOWN_MAX]:
        track = tracks[flight.source, flight.target]
        if track in taken or _is_sampled_out(ui, flight, now_ns):
            continue
        taken.add(track)
        _draw(area, ui, track, flight, now_ns)
    _draw_rates(area, ui, places)


def _weight(flight: Flight) -> tuple[int, int]:
    """Votes and what is lost before fetches; of one kind the newest first."""
    rank = 0 if flight.is_lost or label_of(flight).role != "flow" else 1
    return rank, -flight.left_ns


def _is_sampled_out(ui: UiState, flight: Flight, now_ns: int) -> bool:
    """On a busy link a sample is a pulse: one a second."""
    rate = ui.view.flights.rate(flight.source, flight.target)
    return flight.is_sample and rate > PULSE_FROM and now_ns % SECOND_NS > SECOND_NS // 4


def _tracks(ui: UiState, places: Places) -> dict[tuple[NodeId, NodeId], Track]:
    """Of each direction that has a line on the map."""
    found: dict[tuple[NodeId, NodeId], Track] = {}
    for left, right in places.neighbours():
        one, other = places.boxes[left], places.boxes[right]
        upper, lower = lane_rows(one)
        x, length = one.right + 1, other.x - one.right - 1
        found[left, right] = Track(x, one.y + upper, length, to_right=True)
        found[right, left] = Track(x, one.y + lower, length, to_right=False)
    for number, y in places.rails.items():
        left, right = places.rows[number][0], places.rows[number][-1]
        one, other = places.boxes[left], places.boxes[right]
        x, end = (port_of(box, above=y < one.y) for box in (one, other))
        found[left, right] = Track(x + 1, y, end - x - 1, to_right=True)
        found[right, left] = Track(x + 1, y, end - x - 1, to_right=False)
    if places.bus >= 0:
        found |= _tracks_of_bus(ui, places)
    return found


def _tracks_of_bus(ui: UiState, places: Places) -> dict[tuple[NodeId, NodeId], Track]:
    leader = ui.view.leader_of_newest_epoch
    crowned: Box | None = places.boxes.get(leader) if leader > 0 else None
    if crowned is None:
        return {}
    found: dict[tuple[NodeId, NodeId], Track] = {}
    stem = crowned.right - UNDER_CROWN + 1
    for node, box in places.boxes.items():
        port = port_of(box, above=True)
        if box.y < places.bus or abs(port - stem) < 4:
            continue
        x, length = min(port, stem) + 1, abs(port - stem) - 1
        found[node, leader] = Track(x, places.bus, length, to_right=port < stem)
        found[leader, node] = Track(x, places.bus, length, to_right=port > stem)
    return found


def _draw(area: Area, ui: UiState, track: Track, flight: Flight, now_ns: int) -> None:
    """Trail, label and head; the head points where it goes. One that is lost stays where it was last seen."""
    label = label_of(flight)
    words = label.long if len(label.long) + 4 <= track.length else label.short
    if len(words) + 2 > track.length:
        words = ""
    at = 0.5 if ui.is_still else flight.position(now_ns)
    text = f"{words} \u25b8" if track.to_right else f"\u25c2 {words}"
    trail = min(TRAIL, max(0, track.length - len(text)))
    room = track.length - len(text) - trail
    bold = style(label.role, bold=True)
    faded = style(f"{label.role}_trail")
    lost = flight.is_lost and at >= 0.5
    if track.to_right:
        x = track.x + round(at * room)
        x = area.put(x, track.y, "\u2500" * trail, faded)
        x = area.put(x, track.y, text, bold)
        if lost:
            _lost(area, x, track, 1)
    else:
        x = track.x + round((1 - at) * room)
        end = area.parts(x, track.y, (text, bold), ("\u2500" * trail, faded))
        if lost:
            _lost(area, x, track, -1)
        x = end
    area.spot(track.x, track.y, track.length, 1, "message", flight.told_by)


def _lost(area: Area, x: int, track: Track, way: int) -> None:
    """Sent, and it never arrived."""
    room = track.x + track.length - x if way > 0 else x - track.x
    word = "\u2717 lost" if room >= 9 else "\u2717"
    if room < len(word) + 1:
        return
    look, dots = style("no", bold=True), style("no_trail")
    gap = min(4, room - len(word) - 1)
    if way > 0:
        area.parts(x, track.y, ("\u254c" * gap, dots), (f" {word} ", look))
    else:
        start = x - gap - len(word) - 1
        area.parts(start, track.y, (f"{word} ", look), ("\u254c" * gap, dots))


def _draw_rates(area: Area, ui: UiState, places: Places) -> None:
    """Above the lanes of two neighbours: how much they say to one another."""
    flights = ui.view.flights
    for left, right in places.neighbours():
        one, other = places.boxes[left], places.boxes[right]
        x, length = one.right + 1, other.x - one.right - 1
        if one.height < 5 or any(ui.view.nodes[node].process == "down" for node in (left, right)):
            continue
        fetches = sum(flights.rates(*way).get("FetchRequest", 0.0) for way in ((left, right), (right, left)))
        others = sum(flights.rate(*way) for way in ((left, right), (right, left)))
        words = f"{fetches:.0f} fetches/s" if fetches >= 1 else f"{others:.0f} messages/s" if others >= 1 else ""
        if words and len(words) <= length:
            area.put(x + (length - len(words)) // 2, one.y + lane_rows(one)[0] - 1, words, DIM)
