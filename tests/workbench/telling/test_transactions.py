"""What is said of transactions, with untrusted names made safe."""

from __future__ import annotations

import pytest

from cluster.model.errors import ErrorCode
from cluster.model.events import MarkerRefused, MarkerWritten, PartitionVerified, TransactionRefused
from workbench.telling.tell import sentence

WRITTEN = MarkerWritten(
    topic="a", partition=0, producer_id=7, producer_epoch=3, committed=False, offset=9, first_offset=4,
    coordinator_epoch=1,
)  # fmt: skip
TWICE = MarkerRefused(
    topic="a", partition=0, producer_id=7, producer_epoch=3, committed=True, coordinator_epoch=1, error=0
)
REFUSED = TransactionRefused(
    transactional_id="t\x1b[31m", request="EndTxn", producer_id=7, producer_epoch=3,
    error=ErrorCode.PRODUCER_FENCED, state="Ongoing",
)  # fmt: skip
COUNTED = PartitionVerified(
    topic="a", partition=0, transactional_id="t", producer_id=7, producer_epoch=3, error=0, added=True
)


@pytest.mark.parametrize(
    ("event", "words"),
    [
        (WRITTEN, "a-0: the transaction of producer 7 is aborted, at offset 9"),
        (TWICE, "a-0: no marker of producer 7 is written: it is there already"),
        (COUNTED, "a-0: the coordinator of t counts the partition in"),
    ],
)
def test_what_is_said(event: object, words: str) -> None:
    assert sentence(event) == words


def test_a_transactional_id_is_untrusted() -> None:
    said = sentence(REFUSED)
    assert "\x1b" not in said
    assert said.endswith("is refused: PRODUCER_FENCED")
