from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces import story
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.ui_state import UiState

WHERE: dict[str, Any] = {"topic": "orders", "partition": 0}


def recorded(run: story.Story) -> Recording:
    recording = Recording()
    recording.extend(run.entries)
    return recording


def refused(run: story.Story, error: ErrorCode, replica: int = 3) -> None:
    run.say(2, ev.FetchRefused(**WHERE, replica_id=replica, error=error, their_epoch=1, our_epoch=2))


def rows(run: story.Story) -> list[tuple[int, int, str]]:
    return [(row.source, row.target, row.text) for row in recorded(run).live.rows]


def test_both_messages_that_decide_a_truncation_are_in_the_chart() -> None:
    run = story.Story()
    run.begin()
    run.say(2, ev.ReplicaDiverged(**WHERE, replica_id=1, fetch_offset=15, last_fetched_epoch=4, diverging_epoch=4,
                                  diverging_end_offset=12))  # fmt: skip
    assert rows(run) == [(1, 2, "fetch 15@e4"), (2, 1, "e4 ends 12")]


def test_a_fenced_fetch_is_in_the_chart_once_however_often_it_is_tried() -> None:
    run = story.Story()
    run.begin()
    for _ in range(30):
        refused(run, ErrorCode.FENCED_LEADER_EPOCH)
        refused(run, ErrorCode.FENCED_LEADER_EPOCH, replica=1)
    assert rows(run) == [(2, 3, "FENCED_LEADER_EPOCH"), (2, 1, "FENCED_LEADER_EPOCH")]
    text = "\n".join(draw_screen(200, 50, UiState(recorded(run))).text_rows())
    assert "\u25c2" in text and ("FENCED_LEADER_EPOCH" in text or "\u2717 fenced" in text)


def test_what_is_asked_of_a_broker_that_does_not_lead_says_nothing_of_epochs() -> None:
    run = story.Story()
    run.begin()
    refused(run, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    refused(run, ErrorCode.FENCED_LEADER_EPOCH, replica=-1)
    assert rows(run) == []
