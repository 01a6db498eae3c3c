"""What the transactions in a log make of its records."""

from __future__ import annotations

from cluster.model.identifiers import TopicPartition
from cluster.picture.logs import LogCut, LogState

ORDERS = TopicPartition("orders", 0)


def written(*batches: tuple[int, str], high_watermark: int = -1) -> LogState:
    """One batch of one record each, of (producer id, what); no producer's is 0."""
    log = LogState()
    for offset, (producer_id, what) in enumerate(batches):
        told = ((offset, producer_id, 0, what),) if producer_id else ()
        log.append(offset, offset + 1, ((offset, 1, 0, "aa"),), told)
    log.high_watermark = len(batches) if high_watermark < 0 else high_watermark
    return log


def fates(log: LogState) -> str:
    """One letter for each record: open, committed, aborted, Commit and Abort markers, or a dot."""
    letters = {"open": "o", "committed": "c", "aborted": "a", "commit": "C", "abort": "A"}
    known = {} if log.transactions is None else log.transactions.fates(0, log.log_end_offset)
    return "".join(letters.get(known.get(offset, ""), ".") for offset in range(log.log_end_offset))


def cut(log: LogState, end_offset: int) -> None:
    log.cut(LogCut(0, 1, ORDERS, log.log_end_offset, end_offset, log.high_watermark, "truncated", "by hand"))


def test_records_are_open_until_a_marker_tells_what_they_are() -> None:
    assert fates(written((1, "data"), (0, ""), (2, "data"), (1, "commit"), (2, "data"))) == "c.oCo"
    assert fates(written((1, "data"), (2, "data"), (1, "data"), (1, "abort"), (2, "commit"))) == "acaAC"


def test_the_marker_may_stand_far_behind_what_is_asked_for() -> None:
    log = written((1, "data"), (0, ""), (0, ""), (1, "abort"))
    assert log.transactions is not None and log.transactions.fates(0, 1) == {0: "aborted"}


def test_the_last_stable_offset_waits_for_the_first_open_transaction() -> None:
    assert written((0, ""), (1, "data"), (0, "")).stable_offset == 1
    assert written((0, ""), (1, "data"), (1, "commit")).stable_offset == 3


def test_a_marker_counts_when_it_is_committed() -> None:
    assert written((0, ""), (1, "data"), (1, "commit"), high_watermark=2).stable_offset == 1


def test_a_log_without_transactions_is_stable_to_its_high_watermark() -> None:
    assert written((0, ""), (0, ""), high_watermark=1).stable_offset == 1


def test_a_cut_opens_what_a_marker_had_ended() -> None:
    log = written((1, "data"), (1, "commit"), (2, "data"))
    cut(log, 1)
    assert (fates(log), log.stable_offset) == ("o", 0)
    log.append(1, 2, ((1, 1, 1, "bb"),), ((1, 1, 0, "abort"),))
    log.high_watermark = 2
    assert (fates(log), log.stable_offset) == ("aA", 2)


def test_a_start_finds_the_same_transactions() -> None:
    log = written((1, "data"), (2, "data"), (1, "commit"))
    log.recover(3, [(offset, 1, 0, "aa") for offset in range(3)])
    assert fates(log) == "coC"


def test_how_many_records_a_transaction_has_is_counted_without_those_of_others() -> None:
    log = written((1, "data"), (2, "data"), (1, "data"), (1, "abort"), (1, "data"))
    assert log.transactions is not None and log.transactions.records_of(1, 0, 3) == 2
