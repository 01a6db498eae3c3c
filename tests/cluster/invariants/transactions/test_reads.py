"""C17 and TX1: what readers of committed records are given."""

from __future__ import annotations

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.operations import WHERE
from tests.support.traces.traces import CLIENT
from tests.support.traces.transactional import PRODUCER, Transactional


def two() -> Transactional:
    """A transaction that is committed at offsets 0 and 1, and one that is aborted at 2 and 3."""
    trace = Transactional()
    trace.state("Empty")
    trace.whole()
    trace.whole(committed=False, before="CompleteCommit")
    return trace


def consumed(trace: Transactional, *offsets: int) -> None:
    """A built-in consumer of committed records has read these."""
    known = {"client_id": "consumer-1", "operation_id": 1, "function": "consume", **WHERE}
    trace.add(CLIENT, ev.OperationInvoked(**known, acks=-1, value="from 0", isolation="read_committed"))
    stretches = tuple((offset, 1) for offset in offsets)
    trace.add(
        CLIENT,
        ev.OperationSucceeded(**known, base_offset=0, count=len(offsets), values=("x",), stretches=stretches),
    )


def test_what_is_committed_is_given_and_what_is_aborted_is_named() -> None:
    trace = two()
    trace.given(4, 4, (PRODUCER, 2))
    consumed(trace, 0)
    assert trace.holds("C17", "TX1")


def test_c17_an_aborted_record_that_nobody_names() -> None:
    trace = two()
    trace.given(4, 4)
    assert "offset 2: its transaction is aborted, and who reads committed records is given it" in trace.sentence("C17")


def test_c17_a_committed_record_that_a_reader_is_to_leave_out() -> None:
    trace = two()
    trace.given(4, 4, (PRODUCER, 0), (PRODUCER, 2))
    assert "offset 0: its transaction is committed" in trace.sentence("C17")


def test_c17_a_consumer_reads_an_aborted_record() -> None:
    trace = two()
    consumed(trace, 0, 2)
    assert "offset 2: its transaction is aborted, and a consumer" in trace.sentence("C17")


def test_tx1_the_last_stable_offset_passes_an_open_transaction() -> None:
    trace = two()
    trace.state("Ongoing", "CompleteAbort")
    trace.write()
    trace.advance(1, 5)
    trace.given(4, 4, (PRODUCER, 2))
    assert trace.holds("TX1")
    trace.given(5, 5, (PRODUCER, 2))
    assert "a transaction from offset 4 on is not decided" in trace.sentence("TX1")
    assert "its transaction is open" in trace.sentence("C17")


def test_tx1_a_marker_that_is_not_committed_decides_nothing() -> None:
    trace = two()
    trace.given(2, 3, high_watermark=3)
    assert "from offset 2 on" in trace.sentence("TX1")


def test_without_readers_of_committed_records_there_is_nothing_to_judge() -> None:
    assert two().verdicts()["C17"].verdict is Verdict.NOT_EVALUATED
