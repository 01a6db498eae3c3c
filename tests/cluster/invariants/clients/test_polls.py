"""Invariants C8, C9, C11 and C3: what one poll brings."""

from __future__ import annotations

from cluster.invariants.clients.polls import end_of, offsets_of
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.operations import WHERE
from tests.support.traces.partitions import Partition
from tests.support.traces.traces import CLIENT, LAB


def committed(count: int) -> Partition:
    trace = Partition()
    trace.begin()
    for offset in range(count):
        trace.replicate(offset, f"a{offset}")
    return trace


def poll(trace: Partition, asked: int, *stretches: tuple[int, int], texts: tuple[str, ...] = ()) -> None:
    """A consumer asks for an offset and gets these stretches."""
    number = trace.invoke("consume", f"from {asked}", client="consumer-1")
    trace.add(CLIENT, consumed(number, asked, *stretches, texts=texts))


def consumed(
    number: int, asked: int, *stretches: tuple[int, int], texts: tuple[str, ...] = ()
) -> ev.OperationSucceeded:
    return ev.OperationSucceeded(
        **WHERE,
        client_id="consumer-1",
        operation_id=number,
        function="consume",
        base_offset=asked,
        count=sum(count for _, count in stretches),
        values=texts,
        stretches=stretches,
    )


def send(trace: Partition, base: int, *texts: str) -> None:
    """A produce of several records, acknowledged."""
    value = f"{texts[0]} to {texts[-1]}" if len(texts) > 1 else texts[0]
    trace.succeed(trace.invoke(value=value), base, "a0", count=len(texts))


def test_the_offsets_of_a_poll_are_those_of_its_stretches() -> None:
    assert list(offsets_of(consumed(1, 3, (3, 2), (7, 1)))) == [3, 4, 7]
    assert end_of(consumed(1, 3, (3, 2), (7, 1))) == 8
    assert end_of(consumed(1, 3)) == 3


def test_a_poll_without_gaps_is_quiet() -> None:
    trace = committed(4)
    poll(trace, 0, (0, 2))
    poll(trace, 2, (2, 2))
    assert trace.holds("C8", "C9", "C7")


def test_a_poll_that_goes_back_is_caught() -> None:
    trace = committed(4)
    poll(trace, 0, (0, 3), (1, 1))
    assert trace.sentence("C8") == "a poll goes back: after all below 3 come records from 1 on"


def test_a_poll_that_begins_before_what_was_asked_for_is_caught() -> None:
    trace = committed(4)
    poll(trace, 2, (1, 2))
    assert "C8" in trace.bad()


def test_a_poll_that_skips_is_caught() -> None:
    trace = committed(4)
    poll(trace, 0, (0, 1), (2, 2))
    assert trace.sentence("C9") == "a poll skips: after all below 1 come records from 2 on"


def test_a_poll_that_begins_later_than_asked_for_is_caught() -> None:
    trace = committed(4)
    poll(trace, 0, (1, 3))
    assert "C9" in trace.bad()


def test_a_send_in_its_order_is_quiet_also_when_it_was_written_twice() -> None:
    trace = committed(6)
    send(trace, 0, "v-1", "v-2", "v-3")
    poll(trace, 0, (0, 6), texts=("v-1", "v-2", "v-3", "v-1", "v-2", "v-3"))
    assert "C11" not in trace.bad()
    assert trace.verdicts()["C11"].checks == 2


def test_a_poll_that_begins_or_ends_within_a_send_is_quiet() -> None:
    trace = committed(6)
    send(trace, 0, "v-1", "v-2", "v-3")
    poll(trace, 1, (1, 2), texts=("v-2", "v-3"))
    poll(trace, 0, (0, 2), texts=("v-1", "v-2"))
    assert "C11" not in trace.bad()


def test_a_send_that_is_turned_around_is_caught() -> None:
    trace = committed(3)
    send(trace, 0, "v-1", "v-2", "v-3")
    poll(trace, 0, (0, 3), texts=("v-1", "v-3", "v-2"))
    assert trace.violations("C11")[0].sentence == (
        "at offset 1 record 2 of a send of 3 was due, and another one was read"
    )


def test_a_send_whose_first_record_is_missing_is_caught() -> None:
    trace = committed(3)
    send(trace, 1, "v-1", "v-2")
    poll(trace, 0, (0, 2), texts=("other", "v-2"))
    assert "at offset 1 record 1 of a send of 2 was due" in trace.violations("C11")[0].sentence


def test_what_two_sends_have_in_common_tells_of_neither() -> None:
    trace = committed(4)
    send(trace, 0, "v-1", "v-2")
    send(trace, 2, "v-1", "v-2")
    poll(trace, 0, (0, 4), texts=("v-1", "v-1", "v-2", "v-2"))
    assert trace.verdicts()["C11"].checks == 0


def test_what_certainly_failed_and_is_read_is_caught() -> None:
    trace = committed(1)
    trace.fail(trace.invoke(value="v-1"), 19)
    poll(trace, 0, (0, 1), texts=("v-1",))
    assert trace.sentence("C3") == ("a consumer read at offset 0 what a produce is said to have failed to write")


def test_what_failed_and_was_sent_once_more_may_be_read() -> None:
    trace = committed(1)
    trace.fail(trace.invoke(value="v-1"), 19)
    trace.invoke(value="v-1")
    poll(trace, 0, (0, 1), texts=("v-1",))
    assert "C3" not in trace.bad()


def test_one_of_two_with_the_same_value_that_failed_does_not_make_the_other_wrong() -> None:
    trace = committed(1)
    failing = trace.invoke(value="v-1")
    trace.invoke(value="v-1")
    trace.fail(failing, 19)
    poll(trace, 0, (0, 1), texts=("v-1",))
    assert "C3" not in trace.bad()


def test_what_nobody_knows_of_may_be_read() -> None:
    trace = committed(1)
    trace.fail(trace.invoke(value="v-1"), -1, sure=False)
    poll(trace, 0, (0, 1), texts=("v-1",))
    assert "C3" not in trace.bad()


def test_a_refusal_is_not_certain_where_messages_are_repeated() -> None:
    trace = committed(1)
    trace.add(LAB, ev.FaultInjected(**fault_fields(1, "DuplicateMessages", "all 5%"), command="duplicate all 5%"))
    trace.fail(trace.invoke(value="v-1"), 19)
    poll(trace, 0, (0, 1), texts=("v-1",))
    assert "C3" not in trace.bad()
