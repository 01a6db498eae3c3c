"""Where each kind of headline points, and that what it names is on the screen while it is on top."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.identifiers import TopicPartition
from tests.support.screens.bare_host import Bench
from tests.support.traces.played import PLAYS, passes, ready
from workbench.session.recording import Recording
from workbench.session.story.cells import CLOSEUP, CUT, VOTES, Cells, cells_of
from workbench.session.story.headline import REST_NS
from workbench.session.story.teller import Moment
from workbench.telling.words import node_name
from workbench.tui.compose import draw_screen
from workbench.tui.panes.log_cells import GHOST, GHOST_LOST
from workbench.tui.ui_state import UiState

SIZES = ((80, 24), (120, 40), (160, 45), (200, 50))
ORDERS = TopicPartition("orders", 0)


@cache
def recorded(play: str) -> Recording:
    recording = Recording()
    recording.extend(PLAYS[play]().entries)
    return recording


def kinds() -> dict[str, tuple[str, Moment]]:
    """Of each kind of event that a headline of some play tells the first such headline, and its play."""
    found: dict[str, tuple[str, Moment]] = {}
    for play in PLAYS:
        recording = recorded(play)
        for moment in recording.story.moments:
            found.setdefault(recording.entries[moment.place].event.name, (play, moment))
    return found


KINDS = kinds()


def test_the_plays_have_headlines_of_many_kinds() -> None:
    assert len(KINDS) >= 14 and {"rep.truncated", "raft.truncated", "raft.leader_elected"} <= set(KINDS), sorted(KINDS)


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_what_a_headline_names_is_on_the_screen(kind: str, size: tuple[int, int]) -> None:
    play, moment = KINDS[kind]
    recording, cells = recorded(play), moment.cells
    recording.seek(moment.place + 1)
    ui = UiState(recording, replay=True)
    canvas = draw_screen(*size, ui)
    panes = {spot.value[0]: spot for spot in canvas.spots if spot.kind == "pane"}
    shown = "\n".join(canvas.text_rows())
    assert cells.pane in panes, (moment.text, sorted(map(str, panes)))
    for node in cells.nodes:
        assert node <= 0 or node_name(node) in shown, moment.text
    if cells.log is not None:
        assert ui.log == cells.log, moment.text
    if cells.end > cells.first:
        looks = [look for row in canvas.styles for look in row]
        struck = sum(look in (GHOST, GHOST_LOST) for look in looks)
        assert struck >= min(3, cells.end - cells.first), (moment.text, struck)


def test_cells_that_are_written_over_stay_struck_while_their_headline_is_on_top() -> None:
    world = ready(seed=0)
    world.do("partition 1|2,3", "produce orders 3 acks=1 value=alone retries=no", "kill 1", "heal")
    passes(world, 4.0)
    world.do("produce orders 60 acks=all", "start 1")
    passes(world, 3.0)
    recording = Recording()
    recording.extend(world.entries)
    moment = next(moment for moment in recording.story.moments if moment.cells.exchange == CUT)
    cells, entries = moment.cells, recording.entries
    over = next(
        place for place, told in enumerate(entries)
        if place > moment.place and isinstance(told.event, ev.ReplicaAppended) and told.node == cells.nodes[0]
    )  # fmt: skip
    recording.seek(over + 1)
    ui = UiState(recording, replay=True)
    assert ui.cells == cells and recording.view.logs[1, ORDERS].log_end_offset > cells.end
    for size in SIZES:
        canvas = draw_screen(*size, ui)
        shown = "\n".join(canvas.text_rows())
        assert f"cut {cells.end} to {cells.first}" in shown, (size, shown)
        assert sum(look == GHOST for row in canvas.styles for look in row) >= cells.end - cells.first
    ui.now_ns, ui.replay = moment.t_ns + REST_NS + 1, False
    recording.go_live()
    ui.now_ns = max(ui.now_ns, recording.t_ns + REST_NS)
    assert ui.cells is None and f"cut {cells.end} to {cells.first}" not in "\n".join(
        draw_screen(160, 45, ui).text_rows()
    )


def entry(event: ev.Event, node: int = 2) -> Entry:
    return Entry("r", node, 0, 0, 1, 0, 0, None, "", None, event)


def test_an_event_says_which_pane_whose_rows_and_which_exchange() -> None:
    plucked = ev.MessagePlucked(fault_id=1, source=103, target=101, message="VoteResponse", fate="drop", correlation=7)
    assert cells_of(entry(plucked)) == Cells(CLOSEUP, (103, 101), exchange=VOTES)
    exited = ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True)
    assert cells_of(entry(exited, 0)) == Cells(nodes=(3,))


def test_a_small_screen_shows_the_pane_of_the_headline_until_another_is_asked_for(tmp_path: Path) -> None:
    bench = Bench(tmp_path, size=(80, 24))
    recording = recorded("lost_record")
    moment = next(moment for moment in recording.story.moments if moment.cells.exchange == CUT)
    recording.seek(moment.place + 1)
    bench.ui.recording = recording
    assert "4 Logs" in bench.drawn() and "3 Close-up" not in bench.drawn()
    bench.press("v")
    assert "5 Timeline" in bench.drawn() and "4 Logs" not in bench.drawn()
