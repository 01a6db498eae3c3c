"""Commands that wait for an event of a simulated cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.entry import Entry
from cluster.model.events import (
    ElectionPersisted,
    FaultApplied,
    FaultInjected,
    FramesHeld,
    LeaderElected,
    MessagePlucked,
    ProcessExited,
    VoteGranted,
    VoteReceived,
)
from cluster.simulation.lab.lab import SimulatedLab


def is_binding_vote(entry: Entry) -> bool:
    return isinstance(entry.event, VoteGranted) and not entry.event.pre_vote


async def test_a_node_that_is_killed_by_its_own_vote_has_it_on_disk_and_never_answers(tmp_path: Path) -> None:
    lab = SimulatedLab(ClusterSpec(seed=1, brokers=0), tmp_path)
    voters: list[int] = []
    for node in (101, 102, 103):

        def voted(entry: Entry, node: int = node) -> bool:
            if entry.node != node or voters or not is_binding_vote(entry):
                return False
            voters.append(node)
            return True

        lab.when(voted, f"kill {node}")
    lab.advance(0.6)
    entries = lab.poll()
    voter = voters[0]
    granted = next(item for item in entries if item.node == voter and is_binding_vote(item))
    assert isinstance(granted.event, VoteGranted)
    later = [item for item in entries if item.node == voter and item.seq > granted.seq]
    assert later == [], "it says nothing more"
    before = [item.event for item in entries if item.node == voter and isinstance(item.event, ElectionPersisted)]
    assert before[-1].voted_for == granted.event.candidate_id
    heard = [
        item.event.voter_id
        for item in entries
        if isinstance(item.event, VoteReceived) and not item.event.pre_vote and item.event.epoch == granted.event.epoch
    ]
    assert voter not in heard
    told = [item.event for item in entries if isinstance(item.event, FaultInjected | FaultApplied | ProcessExited)]
    assert [type(item) for item in told[:3]] == [FaultInjected, ProcessExited, FaultApplied]
    assert isinstance(told[1], ProcessExited)
    assert told[1].expected
    await lab.close()


async def test_another_command_is_carried_out_at_once_and_only_once(tmp_path: Path) -> None:
    lab = SimulatedLab(ClusterSpec(seed=1, brokers=0), tmp_path)
    lab.when(lambda entry: isinstance(entry.event, LeaderElected), "isolate controller")
    lab.advance(5)
    entries = lab.poll()
    elected = [item for item in entries if isinstance(item.event, LeaderElected)]
    injected = [item for item in entries if isinstance(item.event, FaultInjected)]
    assert len(elected) > 1, "the one that is cut off is replaced"
    assert len(injected) == 1
    assert injected[0].t_ns - elected[0].t_ns < 1_000_000
    await lab.close()


@pytest.mark.parametrize(
    ("kind", "fault"), [(FramesHeld, "isolate 101"), (MessagePlucked, "pluck 101>102 FetchRequest drop")]
)
async def test_what_the_network_tells_ends_a_node_between_two_steps(tmp_path: Path, kind: type, fault: str) -> None:
    lab = SimulatedLab(ClusterSpec(seed=1, brokers=0), tmp_path)
    lab.when(lambda entry: entry.node == 101 and isinstance(entry.event, kind), "kill 101")
    lab.advance(1)
    await lab.send(fault.replace("101>102", f"101>{max(lab.cluster.active_controllers())}"))
    lab.advance(2)
    assert not lab.cluster.is_up(101)
    assert not lab.cluster.logs
    await lab.close()
