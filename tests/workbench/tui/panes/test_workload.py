"""What is written and read, below the leader of the partition in view."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.ui_state import UiState


def written(lost: bool) -> str:
    run = story.Story()
    run.begin()
    run.partition((1, 2), 1, 0, 0, (1, 2))
    run.records(1, 0, 3, 0, 3, 3)
    done = ev.OperationSucceeded(client_id="p", operation_id=1, function="produce", topic="orders", partition=0,
                                 base_offset=0, count=3, values=("x" if lost else "0",))  # fmt: skip
    run.say(9001, done)
    recording = Recording()
    recording.extend(run.entries)
    return "\n".join(draw_screen(160, 45, UiState(recording)).text_rows())


def test_acknowledged_records_are_counted_and_lost_ones_are_not_hidden() -> None:
    assert "producer 3 acknowledged, none lost" in written(lost=False)
    assert "producer 3 acknowledged, 3 lost" in written(lost=True)


def test_a_consumer_reads_below_the_high_watermark() -> None:
    assert "may read below HW 3" in written(lost=False)
