"""Invariants C2, C4, C6, C7, C12, C13 and C15: what consumers read."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import CLIENT


def written(*texts: str) -> Partition:
    """Acknowledged records, one operation each; the texts are also their CRCs."""
    trace = Partition()
    trace.begin()
    for offset, text in enumerate(texts):
        trace.replicate(offset, text)
        trace.acknowledge(offset, text, value=text)
    return trace


def test_two_consumers_that_read_all_are_quiet() -> None:
    trace = written("a1", "b2", "c3")
    trace.read(0, "a1", "b2")
    trace.read(2, "c3")
    trace.read(0, "a1", "b2", "c3", client="consumer-2")
    assert trace.holds("C2", "C4", "C6", "C7", "C12", "C13", "C15")


def test_another_value_than_the_acknowledged_one_is_caught() -> None:
    trace = written("a1", "b2")
    trace.read(0, "a1", "ff")
    assert "offset 1 has two values: another value was acknowledged there" in trace.sentence("C4")
    assert "what was acknowledged at offset 1 was never read" in trace.sentence("C2")


def test_two_acknowledgements_of_one_offset_are_caught() -> None:
    trace = written("a1")
    trace.acknowledge(0, "b2")
    assert "two produces were acknowledged there" in trace.sentence("C4")


def test_a_value_that_is_acknowledged_after_another_one_was_read_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "a1")
    trace.read(0, "a1")
    trace.acknowledge(0, "b2", value="b2")
    assert "what is acknowledged there was not read" in trace.sentence("C4")


def test_an_offset_that_reads_differently_later_is_caught() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.read(0, "old")
    trace.read(0, "new", client="consumer-2")
    assert "a consumer read another value there" in trace.sentence("C13")
    assert "two values were read there" in trace.sentence("C4")


def test_what_was_read_and_lost_without_sync_is_expected() -> None:
    trace = Partition()
    trace.begin()
    trace.replicate(0, "aa")
    trace.read(0, "old")
    trace.truncate(2, 0, 1)
    trace.elect(2, 1, (2,), minimum=1, unclean=True)
    trace.read(0, "new", client="consumer-2")
    assert trace.excuse("C13") == "A3"
    assert trace.excuse("C4") == "A3"


def test_a_consumer_that_goes_back_is_caught() -> None:
    trace = written("a1", "b2")
    trace.read(0, "a1", "b2")
    trace.read(1, "b2")
    assert "goes on at offset 1 after it had read up to 2" in trace.sentence("C6")
    assert "C7" not in trace.bad()


def test_a_consumer_that_skips_is_caught() -> None:
    trace = written("a1", "b2", "c3")
    trace.read(0, "a1")
    trace.read(2, "c3")
    assert "goes on at offset 2 after it had read up to 1" in trace.sentence("C7")
    assert "C6" not in trace.bad()


def test_a_consumer_that_met_an_error_begins_anew() -> None:
    trace = written("a1", "b2")
    trace.read(0, "a1", "b2")
    trace.fail(trace.invoke("consume", client="consumer-1"), 1, client="consumer-1", function="consume")
    trace.read(0, "a1", "b2")
    assert not trace.bad()


def test_a_read_above_the_high_watermark_is_caught() -> None:
    trace = written("a1")
    trace.append(1, 1, "b2")
    trace.read(0, "a1", "b2")
    assert "read offset 1; no leader's high watermark passed 1" in trace.sentence("C12")


def rewound(start: int) -> Partition:
    """A consumer reads on after a new leader began at `start`; two records were committed."""
    trace = written("a1", "b2")
    trace.read(0, "a1", "b2")
    trace.elect(2, 1, (2, 3), start=start)
    trace.replicate(2, "c3", 1, leader=2, isr=(2, 3))
    trace.read(2, "c3")
    return trace


def test_a_consumer_whose_past_is_gone_has_to_be_told() -> None:
    assert "a consumer at offset 2 goes on without an error" in rewound(1).sentence("C15")


def test_a_clean_change_of_the_leader_leaves_consumers_alone() -> None:
    assert rewound(2).holds("C15", "C6", "C7")


def test_unseen_is_judged_only_after_the_last_acknowledgement_and_to_the_end() -> None:
    early = written("a1", "b2")
    early.read(0, "a1", "ff")
    early.replicate(2, "c3")
    early.acknowledge(2, "c3", value="c3")
    assert early.verdicts()["C2"].checks == 0
    short = written("a1", "b2")
    short.read(0, "ff")
    assert short.verdicts()["C2"].checks == 0


def test_what_every_poll_passed_over_is_unseen() -> None:
    trace = written("a1", "b2", "c3")
    number = trace.invoke("consume", "from 0", client="consumer-1")
    done = ev.OperationSucceeded(
        topic="orders", partition=0, client_id="consumer-1", operation_id=number, function="consume", base_offset=0,
        count=2, values=("a1", "c3"), stretches=((0, 1), (2, 1)),
    )  # fmt: skip
    trace.add(CLIENT, done)
    assert "what was acknowledged at offset 1 was never read" in trace.sentence("C2")
