"""A coordinator's records: applied when they are committed, and who asked is told once."""

from __future__ import annotations

import pytest

from cluster.coordination.led_partition import LedPartition
from cluster.coordination.writing import drop, on_response, on_timeout, told, write
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.messages import ProduceResponse
from cluster.model.record_batch import Record
from tests.cluster.coordination.test_led_partition import coordination, led
from tests.support.kinds import those


class Written:
    """One record on its way; what was applied of it, and what who asked was told."""

    def __init__(self) -> None:
        self.shared, self.log = coordination(), []
        self.led: LedPartition = led(0)
        effects = write(self.shared, self.led, [Record(None, b"a")], self._apply, self._answer, self._done)
        (self.timer,) = [timer.name for timer in those(SetTimer, effects)]
        (self.sent,) = those(Send, effects)

    log: list[str]

    def _apply(self, offset: int) -> list[Effect]:
        self.log.append(f"applied at {offset}")
        return []

    def _answer(self, error: ErrorCode, _now_ms: int) -> list[Effect]:
        self.log.append(error.name)
        return []

    def _done(self, _now_ms: int) -> list[Effect]:
        self.log.append("done")
        return []

    def answered(self, error: ErrorCode = ErrorCode.NONE) -> list[Effect]:
        answer = ProduceResponse(error=error, topic="__t", partition=0, base_offset=7)
        return on_response(self.shared, self.sent.correlation, answer, 0)


def test_what_is_committed_is_applied_before_it_is_told_and_its_timer_ends() -> None:
    written = Written()
    assert written.answered() == [CancelTimer(written.timer)]
    assert written.log == ["applied at 7", "NONE", "done"]
    assert written.answered() == [], "an answer counts once"


def test_what_is_refused_is_not_applied_and_what_is_in_the_log_all_the_same_is() -> None:
    written = Written()
    written.answered(ErrorCode.NOT_ENOUGH_REPLICAS)
    assert written.log == ["COORDINATOR_NOT_AVAILABLE", "done"]
    written = Written()
    written.answered(ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND)
    assert written.log == ["applied at 7", "COORDINATOR_NOT_AVAILABLE", "done"]


def test_who_waited_too_long_is_told_so_and_the_record_counts_when_it_is_committed() -> None:
    written = Written()
    for _ in range(2):
        on_timeout(written.shared, written.timer, 0)
    assert written.log == ["COORDINATOR_NOT_AVAILABLE"], "told once"
    written.answered()
    assert written.log == ["COORDINATOR_NOT_AVAILABLE", "applied at 7", "done"]
    assert on_timeout(written.shared, written.timer, 0) == []


def test_what_is_on_its_way_in_a_partition_that_another_leads_is_for_nobody_here() -> None:
    written = Written()
    assert drop(written.shared, 1, 0) == []
    assert drop(written.shared, 0, 0) == [CancelTimer(written.timer)]
    assert (written.log, written.answered()) == (["NOT_COORDINATOR"], [])


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ErrorCode.NONE, ErrorCode.NONE),
        (ErrorCode.REQUEST_TIMED_OUT, ErrorCode.COORDINATOR_NOT_AVAILABLE),
        (ErrorCode.INVALID_TXN_STATE, ErrorCode.INVALID_TXN_STATE),
        (ErrorCode.MESSAGE_TOO_LARGE, ErrorCode.INVALID_REQUEST),
        (ErrorCode.KAFKA_STORAGE_ERROR, ErrorCode.NOT_COORDINATOR),
    ],
)
def test_an_error_of_the_append_is_told_in_the_words_of_coordinators(error: ErrorCode, said: ErrorCode) -> None:
    assert told(error) == said
