"""Invariants GR3, GR6, GR7, GR8 and GR9: what members own, read and commit."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.kinds import as_kind
from tests.support.traces.group_traces import GroupTrace, healthy


def test_two_owners_at_a_time_are_caught() -> None:
    trace = healthy()
    trace.own("b", 0)
    assert trace.found() == {"GR3": "two members of group g own orders-0 at the same time"}


def test_a_member_that_gave_up_or_is_out_may_be_succeeded() -> None:
    trace = healthy()
    trace.revoke("a", 0)
    trace.own("b", 0)
    assert trace.found() == {}
    trace = healthy()
    trace.leave("a", "session_expired", silent_ms=1_000)
    trace.own("b", 0)
    assert trace.found() == {}, "a zombie may still believe that it owns something"
    trace = healthy()
    trace.leave("a", "session_expired", silent_ms=1_000)
    trace.assign(2, {"b": [0, 1]})
    trace.own("b", 0, generation=2)
    trace.own("a", 0, generation=1)
    assert trace.found() == {}, "or hear only now of what it was given in an older generation"


def test_a_committed_offset_that_goes_back_is_caught() -> None:
    trace = healthy()
    trace.commit("a", 0, 2)
    assert trace.found() == {"GR6": "the committed offset of orders-0 goes back from 3 to 2"}


def test_a_later_generation_may_begin_lower() -> None:
    trace = healthy()
    trace.assign(2, {"a": [0], "b": [1]})
    trace.commit("a", 0, 2, generation=2)
    assert "GR6" not in trace.found()


def test_a_commit_of_what_nobody_read_is_caught() -> None:
    trace = healthy()
    trace.commit("a", 0, 9)
    assert trace.found()["GR7"] == "offset 9 of orders-0 is committed; the group has read up to 3"


def test_a_commit_above_every_high_watermark_is_caught() -> None:
    trace = GroupTrace()
    trace.join("a")
    trace.assign(1, {"a": [0, 1]})
    trace.own("a", 0, 1)
    trace.begin("a", 0, 0, "reset")
    trace.poll("a", 0, 0, 0)
    trace.write(0, 2)
    held = as_kind(ev.ConsumerPolled, trace.entries[-3].event)
    held.count = 3
    trace.commit("a", 0, 3)
    assert trace.found() == {"GR7": "offset 3 of orders-0 is committed; no high watermark passed 2"}


def test_a_member_that_begins_elsewhere_than_committed_is_caught() -> None:
    trace = healthy()
    trace.revoke("a", 0)
    trace.own("b", 0, generation=2)
    trace.begin("b", 0, 1)
    assert trace.found() == {"GR8": "a member begins orders-0 at offset 1; committed was 3"}


def test_a_member_that_begins_anew_despite_a_commit_is_caught() -> None:
    trace = healthy()
    trace.revoke("a", 0)
    trace.own("b", 0, generation=2)
    trace.begin("b", 0, 0, "reset")
    assert trace.found() == {"GR8": "a member begins orders-0 at the beginning; committed was 3"}


def test_a_commit_that_comes_while_it_asks_may_be_seen_or_not() -> None:
    for offset in (3, 5):
        trace = healthy()
        trace.poll("a", 0, 3, 2)
        trace.revoke("a", 0)
        trace.own("b", 0, generation=2)
        trace.commit("a", 0, 5)
        trace.begin("b", 0, offset)
        assert trace.found() == {}


def test_a_position_that_the_log_does_not_have_is_no_fault_of_the_group() -> None:
    trace = healthy()
    trace.revoke("a", 0)
    trace.own("b", 0, generation=2)
    trace.begin("b", 0, 0, "out_of_range")
    assert trace.found() == {}


def test_committed_records_that_nobody_read_are_caught() -> None:
    trace = healthy()
    trace.poll("a", 0, 5, 2)
    trace.commit("a", 0, 7)
    assert trace.found() == {"GR9": "offset 7 of orders-0 is committed, but 3 was delivered to nobody"}


def test_a_network_that_doubles_messages_may_bring_an_old_commit_again() -> None:
    trace = GroupTrace()
    trace.add(0, ev.FaultApplied(**fault_fields(1, "DuplicateMessages", "all 2%")))
    trace.join("a")
    trace.assign(1, {"a": [0, 1]})
    trace.own("a", 0, 1)
    trace.begin("a", 0, 0, "reset")
    trace.poll("a", 0, 0, 3)
    trace.commit("a", 0, 3)
    trace.commit("a", 0, 2)
    assert trace.found() == {}


def skipping(*, deleted: bool) -> GroupTrace:
    """A member comes for offset 0, is told that the log begins at 3, reads 3 to 5 and commits 6."""
    trace = GroupTrace()
    trace.join("a")
    trace.assign(1, {"a": [0, 1]})
    trace.own("a", 0)
    trace.write(0, 6)
    if deleted:
        started = ev.LogStartAdvanced(
            topic="orders", partition=0, log_start_offset=3, old_log_start_offset=0, high_watermark=6, role="leader"
        )
        trace.add(1, started)
    trace.begin("a", 0, 0, "reset")
    trace.begin("a", 0, 3, "out_of_range")
    trace.poll("a", 0, 3, 3)
    trace.commit("a", 0, 6)
    return trace


def test_deleted_records_need_be_delivered_to_nobody() -> None:
    assert skipping(deleted=True).found() == {}
    assert skipping(deleted=False).found() == {
        "GR9": "offset 6 of orders-0 is committed, but 0 was delivered to nobody"
    }


def test_a_commit_of_where_a_member_went_on_after_a_deletion_is_right() -> None:
    trace = healthy()
    trace.write(0, 9)
    trace.add(
        1,
        ev.LogStartAdvanced(
            topic="orders", partition=0, log_start_offset=9, old_log_start_offset=0, high_watermark=9, role="leader"
        ),
    )
    trace.begin("a", 0, 9, "out_of_range")
    trace.commit("a", 0, 9)
    assert trace.found() == {}
