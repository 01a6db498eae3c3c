"""When a run is calm: every fault reverted and every process up."""

from __future__ import annotations

from cluster.invariants.ghost.calm import Calm
from cluster.invariants.watcher import dispatch
from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.traces import LAB, Trace


def calm_of(trace: Trace, *, dead_disturb: bool = True) -> Calm:
    calm = Calm(dead_disturb=dead_disturb)
    handlers = dispatch((calm,))
    for entry in trace.entries:
        for handler in handlers.get(type(entry.event), ()):
            handler(entry, entry.event)
    return calm


def up() -> Trace:
    trace = Trace()
    trace.start(1)
    trace.start(2)
    for node in (1, 2):
        trace.add(node, ev.ProcessReady(node_id=node, port=1))
    return trace


def test_it_is_calm_when_the_last_process_listens() -> None:
    trace = up()
    assert calm_of(trace).event == trace.entries[-1].id
    assert calm_of(trace).since_ns == trace.entries[-1].t_ns
    trace.entries.pop()
    assert not calm_of(trace).is_calm


def test_a_fault_ends_it_and_its_undoing_begins_it_anew() -> None:
    trace = up()
    trace.add(LAB, ev.FaultInjected(**fault_fields(1, "Pause", "1"), command="pause 1"))
    assert not calm_of(trace).is_calm
    assert calm_of(trace).kinds == ("Pause",)
    trace.add(LAB, ev.FaultInjected(**fault_fields(2, "Isolate", "2"), command="isolate 2"))
    trace.add(LAB, ev.FaultReverted(**fault_fields(1, "Pause", "1")))
    assert not calm_of(trace).is_calm
    healed = trace.add(LAB, ev.FaultReverted(**fault_fields(2, "Isolate", "2")))
    assert calm_of(trace).event == healed


def test_an_exit_ends_it_until_the_process_listens_again() -> None:
    trace = up()
    trace.exit(2)
    assert not calm_of(trace).is_calm
    trace.start(2)
    assert not calm_of(trace).is_calm
    ready = trace.add(2, ev.ProcessReady(node_id=2, port=1))
    assert calm_of(trace).event == ready


def test_the_end_of_the_run_ends_it() -> None:
    trace = up()
    trace.add(LAB, ev.RunEnded(clean=True))
    assert not calm_of(trace).is_calm


def test_nodes_that_are_gone_for_good_may_count_as_gone() -> None:
    trace = up()
    trace.add(LAB, ev.FaultInjected(**fault_fields(1, "Kill", "2"), command="kill 2"))
    assert not calm_of(trace, dead_disturb=False).is_calm
    gone = trace.exit(2)
    calm = calm_of(trace, dead_disturb=False)
    assert (calm.event, calm.dead) == (gone, {2})
    trace.add(LAB, ev.FaultInjected(**fault_fields(2, "Pause", "1"), command="pause 1"))
    assert not calm_of(trace, dead_disturb=False).is_calm
    resumed = trace.add(LAB, ev.FaultReverted(**fault_fields(2, "Pause", "1")))
    assert calm_of(trace, dead_disturb=False).event == resumed
    trace.start(2)
    calm = calm_of(trace, dead_disturb=False)
    assert (calm.is_calm, calm.dead) == (False, set())
