"""What a client makes of an error."""

from __future__ import annotations

import pytest

from cluster.clients.rules.retries import NO_ANSWER, is_retriable, may_have_happened
from cluster.model.errors import ErrorCode

GAP = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


@pytest.mark.parametrize(
    ("error", "acks", "retriable", "doubtful"),
    [
        (NO_ANSWER, -1, True, True),
        (ErrorCode.REQUEST_TIMED_OUT, -1, True, True),
        (ErrorCode.NOT_ENOUGH_REPLICAS_AFTER_APPEND, -1, True, True),
        (ErrorCode.NOT_ENOUGH_REPLICAS, -1, True, False),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, True, True),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, 1, True, False),
        (ErrorCode.CORRUPT_MESSAGE, -1, False, False),
        (ErrorCode.MESSAGE_TOO_LARGE, 1, False, False),
    ],
)
def test_errors(error: int, acks: int, retriable: bool, doubtful: bool) -> None:
    assert is_retriable(error).granted == retriable
    assert may_have_happened(error, "produce", acks).granted == doubtful
    assert not may_have_happened(error, "consume", acks).granted


@pytest.mark.parametrize(("acks", "doubtful"), [(-1, True), (1, True), (0, False)])
def test_a_leader_that_flushes_first_may_refuse_what_is_in_its_log(acks: int, doubtful: bool) -> None:
    assert may_have_happened(ErrorCode.NOT_LEADER_OR_FOLLOWER, "produce", acks, flushes_first=True).granted == doubtful


def test_a_gap_may_close_while_an_older_batch_has_no_outcome() -> None:
    gap = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER
    assert is_retriable(gap, "produce", waits_for_older=True).granted and not is_retriable(gap, "produce").granted


def test_what_was_spoilt_on_its_way_is_sent_again_and_what_was_read_spoilt_is_not() -> None:
    assert is_retriable(ErrorCode.CORRUPT_MESSAGE, "produce").granted
    assert not is_retriable(ErrorCode.CORRUPT_MESSAGE, "consume").granted


@pytest.mark.parametrize(
    ("error", "waits_for_older", "tries_again", "reason"),
    [
        (GAP, True, True, "an older batch may close the gap"),
        (GAP, False, False, "the error stays"),
        (ErrorCode.MESSAGE_TOO_LARGE, True, False, "the error stays"),
        (ErrorCode.NOT_LEADER_OR_FOLLOWER, False, True, "the error may pass"),
    ],
)
def test_an_error_that_may_pass_is_tried_again_and_a_gap_that_an_older_batch_may_close(
    error: ErrorCode,
    waits_for_older: bool,  # noqa: FBT001
    tries_again: bool,  # noqa: FBT001
    reason: str,
) -> None:
    ruling = is_retriable(error, "produce", waits_for_older=waits_for_older)
    assert (ruling.value, ruling.granted, ruling.reason) == (tries_again, tries_again, reason)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (NO_ANSWER, "the records may be in the log"),
        (ErrorCode.MESSAGE_TOO_LARGE, "nothing was written"),
    ],
)
def test_an_attempt_without_an_answer_is_in_doubt(error: int, reason: str) -> None:
    ruling = may_have_happened(error, "produce", -1)
    assert (ruling.granted, ruling.reason) == (error == NO_ANSWER, reason)
    assert ruling.numbers == {"error": error, "acks": -1}
