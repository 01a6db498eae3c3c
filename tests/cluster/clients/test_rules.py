"""What a client decides for itself: whether to try again, what is in doubt, and where a record goes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cluster.clients import rules
from cluster.model.errors import ErrorCode
from cluster.model.ruling import Ruling

GAP = ErrorCode.OUT_OF_ORDER_SEQUENCE_NUMBER


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
    ruling = rules.is_retriable(error, "produce", waits_for_older=waits_for_older)
    assert (ruling.value, ruling.granted, ruling.reason) == (tries_again, tries_again, reason)


@pytest.mark.parametrize(
    ("error", "reason"),
    [
        (rules.NO_ANSWER, "the records may be in the log"),
        (ErrorCode.MESSAGE_TOO_LARGE, "nothing was written"),
    ],
)
def test_an_attempt_without_an_answer_is_in_doubt(error: int, reason: str) -> None:
    ruling = rules.may_have_happened(error, "produce", -1)
    assert (ruling.granted, ruling.reason) == (error == rules.NO_ANSWER, reason)
    assert ruling.numbers == {"error": error, "acks": -1}


@pytest.mark.parametrize(
    ("chosen_by", "given", "partition"),
    [
        (rules.partition_by_murmur2, ("a", 0x8000_0005, 4), 1),
        (rules.partition_by_crc32, ("a", 7, 4), 3),
        (rules.partition_until_full, (2, 5, 16), 2),
        (rules.partition_in_turn, (1, 4), 0),
        (rules.partition_in_turn, (6, 4), 1),
        (rules.partition_at_random, (9, 4), 1),
    ],
)
def test_each_record_gets_a_partition(
    chosen_by: Callable[..., Ruling[int]], given: tuple[Any, ...], partition: int
) -> None:
    ruling = chosen_by(*given)
    assert (ruling.value, ruling.granted) == (partition, True)
