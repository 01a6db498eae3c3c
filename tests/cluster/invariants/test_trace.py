"""Invariants of the trace itself."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import Verdict
from cluster.model import events as ev
from cluster.model.entry import EventId
from tests.support.fault_events import fault_fields
from tests.support.traces.partition_traces import decided, orders
from tests.support.traces.quorum_traces import QuorumTrace, led
from tests.support.traces.traces import LAB, Trace, fsynced


def injected(number: int) -> ev.FaultInjected:
    return ev.FaultInjected(**fault_fields(number, "Pause", "101"), command="pause 101")


def settled(kind: type[ev.FaultApplied] | type[ev.FaultReverted], number: int) -> ev.FaultApplied | ev.FaultReverted:
    return kind(fault_id=number, kind="Pause", arguments="101")


def ended(trace: Trace) -> Trace:
    trace.add(LAB, ev.RunEnded(clean=True))
    return trace


def test_a_run_with_a_fault_and_a_kill_is_quiet() -> None:
    trace = led()
    trace.add(LAB, injected(1))
    trace.add(LAB, settled(ev.FaultApplied, 1))
    trace.add(LAB, settled(ev.FaultReverted, 1))
    trace.exit(103)
    ended(trace)
    assert trace.bad() == {}
    for invariant in ("T1", "T2", "T3", "T4", "T5"):
        assert trace.verdicts()[invariant].verdict is Verdict.HOLDS, invariant


def test_t1_a_hole_in_a_nodes_numbers() -> None:
    trace = led()
    del trace.entries[-3]
    assert trace.verdicts()["T1"].verdict is Verdict.VIOLATED


def test_t1_the_end_of_a_trace_may_be_missing() -> None:
    trace = led()
    trace.exit(102)
    trace.entries = [entry for entry in trace.entries if (entry.node, entry.seq) not in ((102, 20), (102, 21))]
    assert trace.verdicts()["T1"].verdict is Verdict.HOLDS


def test_t2_a_word_after_the_end() -> None:
    trace = led()
    trace.exit(103)
    trace.role(103, "unattached", 2)
    assert trace.violations("T2")[0].sentence == "node 103 said something after its process had ended"


def test_t2_a_last_word_at_the_instant_of_the_end_is_legal() -> None:
    trace = led()
    trace.exit(103)
    trace.add(103, ev.StorageError(errno=5, what="by hand"))
    trace.entries[-1] = replace(trace.entries[-1], t_ns=trace.entries[-2].t_ns)
    assert trace.bad() == {}


def test_t3_a_cause_that_is_not_there() -> None:
    trace = led()
    trace.add(103, ev.StorageError(errno=5, what="by hand"), EventId(102, 7, 3))
    found = trace.violations("T3")[0]
    assert found.events[1] == EventId(102, 7, 3)


def test_a_cause_that_comes_late_in_the_file_is_put_in_its_place() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    asked = trace.stand(102, 2)
    granted = trace.vote(103, 102, 2, asked)
    trace.count(102, 103, 2, cause=granted)
    trace.lead(102, 2, (102, 103))
    late = next(index for index, entry in enumerate(trace.entries) if entry.id == granted)
    entry = trace.entries.pop(late)
    trace.entries.append(entry)
    assert trace.bad() == {}


def test_t4_a_fault_that_never_came_into_force() -> None:
    trace = led()
    trace.add(LAB, injected(1))
    assert "neither came into force" in ended(trace).violations("T4")[0].sentence


def test_t4_a_run_that_goes_on_or_a_refused_command_is_quiet() -> None:
    trace = led()
    trace.add(LAB, injected(1))
    assert trace.bad() == {}
    trace.add(LAB, ev.CommandRejected(command="pause 101", why="it did not stop"))
    assert ended(trace).bad() == {}


@pytest.mark.parametrize("kind", [ev.FaultApplied, ev.FaultReverted])
def test_t4_a_fault_that_nobody_injected(kind: type) -> None:
    trace = led()
    trace.add(LAB, settled(kind, 9))
    assert trace.verdicts()["T4"].verdict is Verdict.VIOLATED


@pytest.mark.parametrize(("code", "how"), [(70, "with code 70"), (-11, "by signal 11")])
def test_t5_an_end_that_nobody_asked_for(code: int, how: str) -> None:
    trace = led()
    trace.exit(103, code, expected=False)
    assert how in trace.violations("T5")[0].sentence


def test_t5_a_disk_that_failed_explains_the_end() -> None:
    trace = led()
    trace.add(103, ev.StorageError(errno=28, what="append"))
    trace.exit(103, 74, expected=False)
    assert trace.bad() == {}


def test_t5_a_node_whose_trace_is_on_the_full_disk_says_so_by_its_exit_code() -> None:
    trace = led()
    trace.exit(103, 74, expected=False)
    assert trace.bad() == {}


def test_t5_a_broker_that_could_not_register_says_so_and_leaves() -> None:
    trace = led()
    trace.start(1, "broker")
    trace.add(1, ev.BrokerStateChanged(state="shutting_down", broker_epoch=-1))
    trace.exit(1, 0, expected=False)
    assert trace.bad() == {}


def test_t5_a_broker_that_the_old_truncation_rule_ends_is_expected() -> None:
    trace = QuorumTrace(truncation_mode="hw")
    trace.exit(103, 1, expected=False)
    assert trace.bad() == {"T5": Verdict.EXPECTED}


def test_t5_a_node_that_will_not_cut_what_is_committed_is_expected_after_a_voter_lost_it() -> None:
    trace = led()
    trace.add(102, fsynced(2, durable=0))
    trace.exit(102)
    trace.add(LAB, ev.PowerLost(node_id=102, files=()))
    trace.boot(102, keep=0)
    trace.exit(103, 1, expected=False)
    assert trace.verdicts()["T5"].verdict is Verdict.EXPECTED


def test_t5_a_node_that_will_not_cut_what_is_committed_is_expected_with_the_bug_of_2015() -> None:
    trace = QuorumTrace(dynamic_quorum=True, voter_change_waits=False)
    trace.exit(103, 1, expected=False)
    assert trace.bad() == {"T5": Verdict.EXPECTED}


@pytest.mark.parametrize("code", [-9, -15, 0])
def test_t5_a_process_that_somebody_else_ends_is_expected_and_the_reason_names_who(code: int) -> None:
    trace = led()
    trace.exit(103, code, expected=False)
    assert trace.bad() == {"T5": Verdict.EXPECTED}
    broken = trace.violations("T5")[0].broken
    assert broken is not None and broken.why == "somebody outside of the lab ended the process of node 103"


def test_t5_nobody_outside_ends_a_simulated_node() -> None:
    trace = led()
    first = trace.entries[0].event
    assert isinstance(first, ev.RunStarted)
    first.world = "simulation"
    trace.exit(103, -9, expected=False)
    assert trace.bad() == {"T5": Verdict.VIOLATED}


def test_t5_two_lives_at_once() -> None:
    trace = led()
    trace.start(103)
    assert "was started again before its process had ended" in trace.violations("T5")[0].sentence


@pytest.mark.parametrize(("wanted", "verdict"), [(1, Verdict.HOLDS), (2, Verdict.NOT_EVALUATED)])
def test_t8_too_little_to_judge(wanted: int, verdict: Verdict) -> None:
    checker = Checker(minimum={"elections": wanted})
    for entry in led().entries:
        checker.feed(entry)
    table = {line.info.id: line.verdict for line in checker.finish()}
    assert table["T8"] is verdict


def test_t8_counts_what_a_controller_decided_and_brokers_did_not_get_to_tell() -> None:
    trace = orders()
    trace.add(101, replace(decided(1, 7), isr=(1,)))
    wanted = {"partition leaders": 2, "ISR changes": 1}
    for minimum, verdict in ((wanted, Verdict.HOLDS), (wanted | {"ISR changes": 2}, Verdict.NOT_EVALUATED)):
        checker = Checker(minimum=minimum)
        checker.feed_all(trace.entries)
        assert {line.info.id: line.verdict for line in checker.finish()}["T8"] is verdict


def _torn() -> tuple[QuorumTrace, EventId]:
    """What a leader said last is gone, and a follower has learned of it."""
    trace = led()
    trace.write(101, "b")
    trace.fetch(102, 101)
    gone = trace.advance(101, 3)
    trace.advance(102, 3, role="follower")
    trace.entries[-1] = replace(trace.entries[-1], cause=gone)
    trace.entries = [entry for entry in trace.entries if entry.id != gone]
    return trace, gone


def _judged(trace: QuorumTrace, torn: tuple[tuple[int, int], ...]) -> dict[str, Verdict]:
    checker = Checker()
    checker.feed_all(trace.entries)
    return {line.info.id: line.verdict for line in checker.finish(torn=torn)}


def test_what_follows_from_a_torn_end_is_not_evaluated_instead_of_broken() -> None:
    trace, gone = _torn()
    found = _judged(trace, (gone[:2],))
    assert (found["T3"], found["R17"]) == (Verdict.NOT_EVALUATED, Verdict.NOT_EVALUATED)
    assert Verdict.VIOLATED not in found.values()


def test_a_torn_end_of_another_node_excuses_nothing() -> None:
    trace, _ = _torn()
    for torn in ((), ((103, 0),)):
        found = _judged(trace, torn)
        assert (found["T3"], found["R17"]) == (Verdict.VIOLATED, Verdict.VIOLATED)


def test_a_mistake_that_is_no_torn_end_s_is_found_beside_it() -> None:
    trace, gone = _torn()
    trace.write(103, "forged", role="follower")
    trace.advance(103, 2, role="follower")
    assert _judged(trace, (gone[:2],))["R17"] is Verdict.VIOLATED
