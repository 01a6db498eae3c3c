"""Why, as one clause for people."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.ruling import Decision
from workbench.telling.reasons import Reason, reason_of, timer_of, trigger_words

FENCED = ev.BrokerFenced(broker_id=2, broker_epoch=7, why="session expired")


def reason(event: Any, **numbers: Any) -> Reason:
    decision = Decision("a_rule", True, "broker 2 is gone", "", numbers)  # noqa: FBT003
    return reason_of(Entry("r", 101, 0, 0, 1, 1, 0, None, "", decision, event))


def test_a_silence_is_told_with_its_numbers_and_is_there_as_a_number() -> None:
    assert reason(FENCED, broker_id=2, silence_ms=900, session_timeout_ms=500) == Reason(
        "n2 was silent for 900 ms, longer than its session of 500 ms", 900, 2
    )


@pytest.mark.parametrize("numbers", [{}, {"broker_id": 2, "silence_ms": -1, "session_timeout_ms": 500}])
def test_without_the_numbers_the_rule_says_why(numbers: dict[str, int]) -> None:
    assert reason(FENCED, **numbers) == Reason("n2 is gone")


def test_of_several_reasons_the_first_counts_that_is_whole() -> None:
    asked = ev.IsrProposed(topic="orders", partition=0, isr=(1, 2), old_isr=(1,), leader_epoch=1, partition_epoch=2,
                           why="2 caught up")  # fmt: skip
    assert reason(asked).text == "2 caught up"
    assert (
        reason(asked, replica_id=2, log_end_offset=5, high_watermark=4).text
        == "n2 has the log to 5, and committed is 4"
    )


def test_every_timer_has_a_meaning() -> None:
    assert "heard nothing" in timer_of("timer quorum.fetch")[1]
    assert timer_of("timer something.else") == ("", "it had waited as long as it waits")


def test_what_came_is_told_without_a_name_of_code() -> None:
    assert trigger_words("FetchResponse from 2") == "fetch response from n2"
