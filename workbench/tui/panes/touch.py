"""Overlay: one message on its way, what it says, and what may befall it."""

from __future__ import annotations

from cluster.model.events.network import DELIVERED, HELD, LEFT
from cluster.picture.flights import Flight
from workbench.support.safe_text import safe_text
from workbench.telling.network import quoted
from workbench.telling.words import error_name, message_words, node_name
from workbench.tui.drawing.canvas import Area, fit
from workbench.tui.panes.message_words import FLOW, label_of
from workbench.tui.panes.moment import moment_of
from workbench.tui.theme.palette import BRIGHT, DIM, TEXT, WARN
from workbench.tui.ui_state import UiState

ROWS = 4
STALE_NS = 1_000_000_000
"""A message between processes that left before that has arrived, though nobody has told so."""
NAMES = {
    "offset": "log end offset", "last_epoch": "epoch of its last record", "leader_id": "leader", "isr": "ISR",
    "high_watermark": "HW", "broker_epoch": "broker epoch", "partition_epoch": "partition epoch", "is_fenced": "fenced",
}  # fmt: skip
"""What a number of a message is called where its field does not say it."""
YES_OR_NO = ("pre_vote", "granted", "is_fenced")


def touchable(ui: UiState) -> list[Flight]:
    """Messages that can be touched at the moment in view: votes and the like before fetches, those that left first
    before the others.

    In a simulation they are on their way, exactly these. Of processes they are those on the screen.
    """
    shown = ui.view.flights.shown(moment_of(ui))
    if ui.seed is None:
        found = [flight for flight in shown if flight.fate != LEFT or moment_of(ui) - flight.left_ns < STALE_NS]
    else:
        found = [flight for flight in shown if flight.fate in (LEFT, HELD)]
    return sorted(found, key=lambda flight: label_of(flight).role == FLOW)


def newest_of(ui: UiState, touched: Flight) -> Flight:
    """What is known of the same message at the moment in view."""
    flights = ui.view.flights.on_link(touched.source, touched.target)
    return next((flight for flight in reversed(flights) if flight.same(touched)), touched)


def draw_touch(area: Area, ui: UiState, touched: Flight) -> None:
    """Who sent what to whom, its fields in words, how it stands with it, and which message a key is about."""
    flight = newest_of(ui, touched)
    ends = f"{node_name(flight.source)} \u2192 {node_name(flight.target)}   "
    said = quoted(flight.message, flight.numbers)
    number = f", number {flight.correlation}" if flight.correlation else ""
    kind = f"   {message_words(safe_text(flight.message, 40)).strip()}{number}"
    area.parts(1, 0, (ends, BRIGHT), (said, BRIGHT), (kind, DIM))
    room = area.width - 2
    area.put(1, 1, fit(_fields(flight), room), TEXT)
    area.put(1, 2, fit(_state(flight, moment_of(ui)), room), WARN if flight.fate != LEFT else TEXT)
    area.put(1, 3, fit(_meant(ui, flight), room), DIM)


def _fields(flight: Flight) -> str:
    where = [f"of {safe_text(flight.topic, 40)}-{flight.partition}"] if flight.topic else []
    isr = [str(value) for name, value in flight.numbers if name == "isr"]
    told = [_field(name, value) for name, value in flight.numbers if name != "isr"]
    return " \u00b7 ".join([*told, *([f"ISR {','.join(isr)}"] if isr else []), *where]) or "it has no numbers"


def _field(name: str, value: int) -> str:
    if name == "error":
        return f"error {error_name(value)}"
    said = NAMES.get(name, name.replace("_", " "))
    if name in YES_OR_NO:
        return f"{said} {'yes' if value else 'no'}"
    if name == "leader_id":
        return f"{said} {node_name(value) if value > 0 else 'none'}"
    return f"{said} {value}"


def _state(flight: Flight, now_ns: int) -> str:
    since = f"{max(0, now_ns - flight.left_ns) / 1e6:.3f} ms"
    if flight.fate == LEFT:
        return f"It left {since} ago and has not arrived, as far as anybody has told."
    if flight.fate == HELD:
        return f"It is held: {safe_text(flight.why, 80)}. It left {since} ago."
    if flight.fate == DELIVERED:
        return f"It has arrived, after {(flight.ended_ns - flight.left_ns) / 1e6:.3f} ms."
    return f"It will not arrive: {safe_text(flight.why, 80)}." if flight.why else "It will not arrive."


def _meant(ui: UiState, flight: Flight) -> str:
    """Which message is plucked."""
    if ui.seed is not None:
        return "Exactly this message is meant. Time waits meanwhile."
    kind = message_words(safe_text(flight.message, 40)).strip()
    return f"Processes do not wait: the next {kind} on this link is meant."
