"""Invariants GR1, GR2, GR4, GR5, GR10 and GR12: what coordinators promise."""

from __future__ import annotations

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from tests.support.traces.group_traces import GroupTrace, healthy


def test_a_healthy_group_is_quiet_and_judged() -> None:
    trace = healthy()
    trace.load(2, epoch=1, generation=1, offsets={"0": [3], "1": [3]})
    assert trace.found() == {}
    verdicts = trace.verdicts()
    judged = {
        invariant for invariant, line in verdicts.items() if invariant[:2] == "GR" and line.verdict is Verdict.HOLDS
    }
    assert judged == {f"GR{number}" for number in range(1, 11)}
    assert verdicts["GR11"].verdict is Verdict.NOT_EVALUATED


def test_a_partition_given_twice_is_caught() -> None:
    trace = GroupTrace()
    trace.join("a", "b")
    trace.assign(1, {"a": [0, 1], "b": [1]})
    assert trace.found() == {"GR1": "two members of generation 1 are given orders-1"}


def test_a_partition_given_to_nobody_is_caught() -> None:
    trace = GroupTrace(partitions=3)
    trace.join("a", "b")
    trace.assign(1, {"a": [0], "b": [2]})
    assert trace.found() == {"GR2": "nobody in generation 1 is given orders-1"}


def test_a_kafka_client_may_leave_a_partition_out_or_give_one_twice() -> None:
    """Kafka looks at no assignment: it is excused by the name of who made it, and a built-in leader is judged on."""
    trace = GroupTrace(partitions=3)
    trace.join("a", host="/127.0.0.1")
    trace.join("b")
    trace.assign(1, {"a": [0, 2], "b": [2]})
    verdicts = trace.verdicts()
    for invariant in ("GR1", "GR2"):
        assert (verdicts[invariant].verdict, verdicts[invariant].checks) == (Verdict.EXPECTED, 0)
        broken = verdicts[invariant].violations[0].broken
        assert broken is not None
        assert (broken.assumption, broken.event.node) == ("A9", 1)
        assert broken.why == "the Kafka client a divides the partitions of group g by an assignor of its own"
    trace.assign(2, {"b": [0], "a": [2]})
    assert trace.verdicts()["GR2"].verdict is Verdict.VIOLATED


def test_what_a_kafka_client_divides_well_says_nothing_of_our_assignors() -> None:
    trace = GroupTrace()
    trace.join("a", host="/127.0.0.1")
    trace.assign(1, {"a": [0, 1]})
    verdicts = trace.verdicts()
    assert {verdicts[invariant].verdict for invariant in ("GR1", "GR2")} == {Verdict.NOT_EVALUATED}


def test_a_cooperative_generation_may_withhold_what_a_member_still_holds() -> None:
    trace = GroupTrace()
    trace.join("a", "b")
    trace.assign(1, {"a": [0, 1]}, "cooperative-sticky")
    trace.assign(2, {"a": [0], "b": []}, "cooperative-sticky")
    assert trace.found() == {}
    trace.assign(3, {"a": [0], "b": []}, "cooperative-sticky")
    assert trace.found() == {"GR2": "nobody in generation 3 is given orders-1"}


def test_a_member_that_missed_a_generation_still_holds_what_it_was_to_give_up() -> None:
    trace = GroupTrace()
    trace.join("a", "b")
    trace.assign(1, {"a": [0, 1]}, "cooperative-sticky")
    trace.own("a", 0, 1)
    trace.assign(2, {"a": [0], "b": []}, "cooperative-sticky")
    trace.assign(3, {"a": [0], "b": []}, "cooperative-sticky")
    assert trace.found() == {}
    trace.revoke("a", 1)
    trace.assign(4, {"a": [0], "b": []}, "cooperative-sticky")
    assert trace.found() == {"GR2": "nobody in generation 4 is given orders-1"}


def test_owners_of_a_generation_that_only_the_log_tells_of_are_not_known() -> None:
    trace = healthy()
    trace.log_end += 1
    trace.load(1, epoch=1, generation=2, offsets={"0": [3], "1": [3]})
    trace.commit("a", 1, 3, generation=2)
    assert trace.found() == {}
    trace.assign(3, {"a": [0], "b": [1]})
    trace.commit("a", 1, 3, generation=3)
    assert trace.found() == {"GR5": "a member commits orders-1, which belongs to another one in this generation"}


def test_a_generation_that_goes_back_is_caught() -> None:
    trace = healthy()
    trace.assign(4, {"a": [0], "b": [1]})
    trace.assign(3, {"a": [0], "b": [1]})
    assert trace.found() == {"GR4": "group g goes back from generation 4 to 3"}


def test_a_new_coordinator_that_forgot_a_generation_is_caught() -> None:
    trace = healthy()
    trace.assign(2, {"a": [0], "b": [1]})
    trace.load(2, epoch=1, generation=1, offsets={"0": [3], "1": [3]})
    assert trace.found() == {"GR4": "group g is in generation 1 again; 2 was committed"}


def test_an_accepted_commit_of_an_older_generation_is_caught() -> None:
    trace = healthy()
    trace.assign(2, {"a": [0], "b": [1]})
    trace.commit("a", 0, 3, generation=1)
    assert trace.found() == {"GR5": "group g takes a commit in generation 1, which is not 2"}


@pytest.mark.parametrize("has_left", [True, False])
def test_while_members_join_again_the_generation_before_takes_commits_though_it_got_no_assignment(
    has_left: bool,
) -> None:
    """Found by the swarm, seed 10315: the offsets topic was below its minimum for many generations."""
    trace = healthy()
    trace.add(1, ev.GroupGenerationBegan(group="g", generation=9, protocol="range", leader="a-1",
                                         members=("a-1", "b-1"), subscriptions=()))  # fmt: skip
    if has_left:
        trace.add(1, ev.GroupStateChanged(group="g", before="CompletingRebalance", state="PreparingRebalance",
                                          generation=9, members=("a-1", "b-1"), why="no assignment"))  # fmt: skip
    trace.commit("a", 0, 3, generation=9)
    assert trace.found() == ({} if has_left else {"GR5": "group g takes a commit in generation 9, which is not 1"})


def test_a_generation_that_a_cut_off_coordinator_begins_says_nothing_of_the_one_that_is_committed() -> None:
    trace = healthy()
    trace.assign(2, {"a": [0], "b": [1]})
    trace.add(2, ev.GroupGenerationBegan(group="g", generation=2, protocol="range", leader="z-1", members=("z-1",),
                                         subscriptions=(("z-1", "orders"),)))  # fmt: skip
    trace.commit("a", 0, 3, generation=2)
    assert trace.found() == {}
    trace.commit("z", 0, 3, generation=2)
    assert trace.found() == {"GR5": "group g takes a commit by somebody who is not in that generation"}


def test_an_accepted_commit_of_a_stranger_is_caught() -> None:
    trace = healthy()
    trace.commit("z", 0, 3)
    assert trace.found() == {"GR5": "group g takes a commit by somebody who is not in that generation"}


def test_a_commit_of_what_belongs_to_another_member_is_caught() -> None:
    trace = healthy()
    trace.commit("a", 1, 3)
    assert trace.found() == {"GR5": "a member commits orders-1, which belongs to another one in this generation"}


def test_offsets_from_outside_are_taken_only_by_an_empty_group() -> None:
    trace = GroupTrace()
    trace.commit("", 0, 5, generation=-1)
    assert trace.found() == {}
    trace = healthy()
    trace.commit("", 0, 5, generation=-1)
    assert trace.found() == {"GR5": "group g takes a commit without a generation while the group has members"}


def test_word_of_an_old_coordinator_that_comes_late_is_old_news() -> None:
    trace = healthy()
    trace.assign(2, {"a": [0], "b": [1]})
    trace.log_end += 1
    trace.load(2, epoch=1, generation=2, offsets={"0": [3], "1": [3]})
    trace.commit("a", 0, 3, generation=1, at=trace.log_end - 1)
    assert trace.found() == {}


def test_a_new_coordinator_that_forgot_an_offset_is_caught() -> None:
    trace = healthy()
    trace.load(2, epoch=1, generation=1, offsets={"0": [2], "1": [3]})
    assert trace.found() == {"GR10": "a new coordinator knows offset 2 of orders-0, 3 was committed"}
    trace = healthy()
    trace.load(2, epoch=1, generation=1, offsets={"0": [3]})
    assert trace.found() == {"GR10": "a new coordinator knows nothing of orders-1, 3 was committed"}


def test_a_new_coordinator_may_know_what_the_old_one_had_no_time_to_tell() -> None:
    trace = healthy()
    trace.poll("a", 0, 3, 4)
    trace.log_end += 1
    trace.load(2, epoch=1, generation=1, offsets={"0": [7], "1": [3]})
    assert trace.found() == {}


def test_a_coordinator_of_an_epoch_that_is_over_needs_to_know_nothing() -> None:
    trace = GroupTrace()
    trace.load(2, epoch=2)
    trace.join("a", "b")
    began = ev.GroupGenerationBegan(
        group="g", generation=1, protocol="range", leader="a-1", members=("a-1", "b-1"), subscriptions=()
    )
    trace.add(2, began)
    given = (("a-1", "orders", 0), ("b-1", "orders", 1))
    trace.add(2, ev.GroupAssigned(group="g", generation=1, protocol="range", offset=0, assignments=given))
    trace.load(3, epoch=1, generation=0)
    trace.commit("a", 0, 0, at=1)
    assert trace.found() == {}
    trace.load(1, epoch=3, generation=0)
    assert trace.found()["GR4"] == "group g is in generation 0 again; 1 was committed"


def test_two_coordinators_in_one_epoch_are_caught() -> None:
    trace = healthy()
    trace.load(2, epoch=0, generation=1, offsets={"0": [3], "1": [3]})
    assert trace.found() == {
        "GR10": "nodes 1 and 2 both coordinate the groups of __consumer_offsets-0 in one leader epoch"
    }


def test_a_coordinator_that_is_not_the_leader_is_caught() -> None:
    trace = healthy()
    applied = ev.PartitionApplied(
        topic="__consumer_offsets", partition=0, leader=3, leader_epoch=5, partition_epoch=5, isr=(3,), elr=(),
        replicas=(1, 2, 3), min_insync_replicas=1, metadata_offset=9,
    )  # fmt: skip
    trace.add(3, applied)
    trace.load(2, epoch=5, generation=1, offsets={"0": [3], "1": [3]})
    assert trace.found() == {"GR10": "node 2 coordinates the groups of __consumer_offsets-0, and node 3 leads it"}


def test_who_is_expelled_before_its_session_is_over_is_caught() -> None:
    trace = healthy()
    trace.leave("a", "session_expired", silent_ms=1_000)
    assert trace.found() == {}
    trace.leave("b", "session_expired", silent_ms=999)
    assert trace.found() == {"GR12": "a member is expelled after 999 ms of silence; its session lasts 1000 ms"}


def test_a_killed_member_that_is_never_expelled_is_caught() -> None:
    trace = healthy()
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.add(1_001, ev.ConsumerEnded(client_id="a", group="g", member_id="a-1", how="killed"))
    trace.add(0, ev.RunEnded(clean=True))
    trace.entries[-1].t_ns += 2_500_000_000
    assert trace.found() == {}, "its session and some patience are not over"
    trace.entries[-1].t_ns += 1_000_000_000
    assert "a killed member is still in its group" in trace.found()["GR12"]


@pytest.mark.parametrize(("generation", "is_caught"), [(1, True), (0, False)])
def test_a_killed_member_that_the_next_coordinator_never_heard_of_is_in_no_group(
    generation: int, is_caught: bool
) -> None:
    """Found by the swarm, seed 35231: it had joined, and the coordinator died before it wrote an assignment."""
    trace = GroupTrace()
    trace.join("a")
    trace.assign(1, {"a": [0, 1]})
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.add(1_001, ev.ConsumerEnded(client_id="a", group="g", member_id="a-1", how="killed"))
    if not generation:
        trace.entries = [entry for entry in trace.entries if not isinstance(entry.event, ev.GroupAssigned)]
    trace.load(2, epoch=1, generation=generation)
    trace.exit(1)
    trace.entries[-1].t_ns += 3_500_000_000
    assert ("GR12" in trace.found()) is is_caught


@pytest.mark.parametrize(("generation", "is_caught"), [(1, True), (0, False)])
def test_a_member_that_the_next_coordinator_never_heard_of_and_is_killed_later_is_in_no_group(
    generation: int, is_caught: bool
) -> None:
    """Found by the swarm, seed 18 over four seconds: the coordinator died before, the member after."""
    trace = GroupTrace()
    trace.join("a")
    if generation:
        trace.assign(1, {"a": [0, 1]})
    trace.load(2, epoch=1, generation=generation)
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.add(1_001, ev.ConsumerEnded(client_id="a", group="g", member_id="a-1", how="killed"))
    trace.exit(1)
    trace.entries[-1].t_ns += 3_500_000_000
    assert ("GR12" in trace.found()) is is_caught


def test_a_killed_member_that_is_expelled_late_is_caught() -> None:
    for late_ns, is_caught in ((2_500_000_000, False), (3_500_000_000, True)):
        trace = healthy()
        trace.start(1, "broker")
        trace.add(1, ev.ProcessReady(node_id=1, port=0))
        trace.add(1_001, ev.ConsumerEnded(client_id="a", group="g", member_id="a-1", how="killed"))
        trace.leave("a", "session_expired", silent_ms=late_ns // 1_000_000)
        trace.entries[-1].t_ns += late_ns
        assert ("a killed member is expelled only" in trace.found().get("GR12", "")) is is_caught


def test_a_killed_member_whose_group_joins_again_has_its_session_from_the_new_generation_on() -> None:
    trace = healthy()
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.add(1_001, ev.ConsumerEnded(client_id="a", group="g", member_id="a-1", how="killed"))
    trace.assign(2, {"a": [0], "b": [1]})
    trace.entries[-1].t_ns += 4_000_000_000
    trace.leave("a", "session_expired", silent_ms=1_000)
    trace.entries[-1].t_ns += 5_000_000_000
    assert trace.found() == {}


def test_what_is_withheld_from_a_generation_whose_members_are_gone_when_it_is_committed() -> None:
    """Found by the swarm, seed 41698: the offsets topic was below its minimum, and took the assignment too late."""
    trace = GroupTrace()
    trace.join("a", "b")
    trace.assign(1, {"a": [0, 1]}, "cooperative-sticky")
    trace.assign(2, {"a": [0], "b": []}, "cooperative-sticky")
    committed = trace.entries.pop()
    trace.leave("a")
    trace.leave("b")
    trace.add(1, committed.event)
    trace.start(1, "broker")
    trace.add(1, ev.ProcessReady(node_id=1, port=0))
    trace.exit(1)
    trace.entries[-1].t_ns += 9_000_000_000
    assert trace.found() == {}


def test_what_is_withheld_and_never_handed_out_is_caught() -> None:
    for waited_ns, is_caught in ((2_500_000_000, False), (3_500_000_000, True)):
        trace = GroupTrace()
        trace.join("a", "b")
        trace.assign(1, {"a": [0, 1]}, "cooperative-sticky")
        trace.assign(2, {"a": [0], "b": []}, "cooperative-sticky")
        trace.start(1, "broker")
        trace.add(1, ev.ProcessReady(node_id=1, port=0))
        trace.exit(1)
        trace.entries[-1].t_ns += waited_ns
        told = trace.found().get("GR2", "")
        assert told.startswith("orders-1 was withheld in generation 2 and handed out to nobody") is is_caught
