"""Messages on the map: only what an event told, each on its own link, never one over another."""

from __future__ import annotations

import re

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.cluster_map import draw_map
from workbench.tui.ui_state import UiState

MS = 1_000_000


def said(*messages: ev.MessageSeen, later_ms: int = 125, faults: tuple[ev.FaultApplied, ...] = ()) -> UiState:
    run = story.Story()
    run.begin()
    for fault in faults:
        run.say(0, fault, 0)
    sent_ns = run.now_ms * MS
    for message in messages:
        given = {name: getattr(message, name) for name in message.__struct_fields__}
        given["left_ns"] = sent_ns
        given["ended_ns"] = sent_ns + 2 * MS if message.fate in ("delivered", "lost") else 0
        run.say(message.source, ev.MessageSeen(**given), 0)
    run.say(0, ev.RunEnded(clean=True), later_ms)
    recording = Recording()
    recording.extend(run.entries)
    return UiState(recording, replay=True)


def vote(source: int, target: int, fate: str = "delivered") -> ev.MessageSeen:
    return ev.MessageSeen(source=source, target=target, message="VoteRequest", is_answer=False, fate=fate, left_ns=0,
                          numbers=(("epoch", 2),))  # fmt: skip


def rows(ui: UiState) -> list[str]:
    canvas = Canvas(111, 14)
    draw_map(canvas.area(Rect(0, 0, 111, 14)), ui)
    return canvas.text_rows()


def test_a_message_stands_on_the_lane_of_its_direction_and_points_where_it_goes() -> None:
    upper, lower = (next(row for row in rows(said(vote(*way))) if "vote e2?" in row) for way in ((1, 2), (2, 1)))
    assert "vote e2? \u25b8" in upper and "\u25c2 vote e2?" in lower
    assert rows(said(vote(1, 2))).index(upper) + 1 == rows(said(vote(2, 1))).index(lower)


def test_a_message_moves_from_its_sender_to_its_receiver() -> None:
    places = [
        next(row for row in rows(said(vote(1, 2), later_ms=at)) if "vote" in row).index("vote") for at in (20, 240)
    ]
    assert places[0] < places[1]


def test_a_message_that_is_lost_never_arrives_and_says_so() -> None:
    row = next(row for row in rows(said(vote(1, 2, "lost"), later_ms=240)) if "e2?" in row)
    assert "\u2717" in row[25:43]


def test_a_message_on_a_slow_link_leaves_nothing_over_of_what_the_link_says() -> None:
    delay = ev.FaultApplied(**fault_fields(10, "Delay", "1-2 50ms", (1, 2)))
    whole, parts = " \u2248 +50ms ", re.compile(r"[\u2248+m]|50|s$")
    for later_ms in (10, 110, 240):
        lanes = [row[26:44] for row in rows(said(vote(1, 2), later_ms=later_ms, faults=(delay,))) if "\u251c" in row]
        flying = next(lane for lane in lanes if "vote e2?" in lane)
        assert not parts.search(flying) and any(whole in lane for lane in lanes), later_ms


def test_nothing_is_drawn_that_no_event_told_and_nothing_stays_for_ever() -> None:
    assert not any("\u25b8" in row or "\u25c2" in row for row in rows(said()))
    assert not any("vote e2?" in row for row in rows(said(vote(1, 2), later_ms=5000)))


def test_with_reduced_motion_a_message_stands_in_the_middle() -> None:
    still = []
    for at in (20, 240):
        ui = said(vote(1, 2), later_ms=at)
        ui.is_still = True
        still.append(rows(ui))
    assert still[0] == still[1]
