"""Whole simulated clusters: failover, cuts, power loss, lies, and that a run is its seed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.cluster_spec import ClusterSpec, Options
from cluster.model.events import (
    BecameLeader,
    CommandRejected,
    FaultApplied,
    FaultInjected,
    FaultReverted,
    FollowerProgress,
    LeaderElected,
    PartitionApplied,
    PowerLost,
    ReplicaAppended,
    RunEnded,
    RunStarted,
)
from cluster.model.identifiers import NodeId
from cluster.model.settings import classroom_timing
from cluster.simulation.world.recording import Fingerprint
from cluster.trace.entry import encode_entry
from tests.support.traces.watched import ORDERS, Watched

STORY = (
    "topic orders min-isr=2 assign=1,2,3",
    "produce orders 20 batch=3 in-flight=4",
    "kill leader(orders-0)",
    "produce orders 3",
    "start 1",
    "cut controller-2",
    "delay 1-3 20ms 30ms jitter",
    "produce orders 3 wait=no",
    "pause 3",
    "heal",
    "fsync lie 2",
    "produce orders 2",
    "power-loss 2",
    "start 2",
    "slow-link 1>3 64KiB",
    "consume orders",
    "reset 1-2",
    "isolate controller",
    "status",
    "heal",
)


def story(**changes: object) -> str:
    """The fingerprint of one eventful run."""
    world = Watched(**changes)
    print_of = Fingerprint()
    world.recording.readers.append(print_of)
    for text in STORY:
        world.send(text)
        world.advance(0.4)
    world.finish()
    assert world.recording.count > 1_000
    assert not world.logs
    return str(print_of)


def test_the_same_seed_is_the_same_run_and_another_seed_another() -> None:
    assert story(seed=11) == story(seed=11) != story(seed=12)


def test_everything_that_makes_a_run_is_in_its_id() -> None:
    plain = ClusterSpec(seed=1)
    assert plain.run == ClusterSpec(seed=1).run
    others = [ClusterSpec(seed=2), ClusterSpec(seed=1, brokers=2), ClusterSpec(seed=1, title="other")]
    others.append(ClusterSpec(seed=1, options=Options(loss=0.1)))
    assert len({plain.run, *(other.run for other in others)}) == 5


def test_nobody_changes_an_event_after_it_was_told() -> None:
    world = Watched(seed=3)
    told: list[bytes] = []
    world.recording.listeners.append(lambda entry: told.append(encode_entry(entry)))
    since = len(world.entries)
    world.do("topic orders", "produce orders 20", "kill controller")
    world.advance(3)
    world.do("kill leader(orders-0)", "produce orders 5")
    assert [encode_entry(entry) for entry in world.entries[since:]] == told


def test_a_killed_leader_is_replaced_and_nothing_acknowledged_is_lost() -> None:
    world = Watched(seed=1)
    world.do("topic orders min-isr=2 assign=1,2,3", "produce orders 20", "kill 1", "produce orders 5")
    assert world.leader() in (2, 3)
    assert world.cluster().acked_count(ORDERS) == 25
    assert world.cluster().lost(ORDERS) == []
    world.do("start 1")
    world.until(lambda: world.cluster().identical(ORDERS))


def test_a_controller_quorum_cut_from_its_leader_elects_another_and_heals() -> None:
    world = Watched(seed=1)
    world.do("topic orders")
    old = world.cluster().quorum_leader
    epoch = world.cluster().quorum_epoch
    world.do(f"isolate {old}")
    world.until(lambda: world.cluster().quorum_epoch > epoch)
    world.do("heal")
    world.until(lambda: world.cluster().node(old).quorum_role == "follower")
    leaders: dict[int, int] = {}
    for entry in world.entries:
        if isinstance(entry.event, LeaderElected):
            assert leaders.setdefault(entry.event.epoch, entry.node) == entry.node


def test_a_broker_acts_on_committed_metadata_as_soon_as_it_holds_it_and_not_when_something_else_comes() -> None:
    world = Watched(seed=0)
    world.do("topic orders", "fsync slow 1 150ms", "topic users", "topic visits", "produce orders 3 wait=no")
    world.until(lambda: len(world.of(PartitionApplied)) == 9)
    triggers: dict[NodeId, str] = {}
    applied: list[str] = []
    for entry in world.entries:
        triggers[entry.node] = entry.trigger or triggers.get(entry.node, "")
        if isinstance(entry.event, PartitionApplied):
            applied.append(triggers[entry.node][:-1])
    assert applied == ["FetchResponse from 10"] * 9, "nothing follows from a timer or a client"


def test_power_loss_keeps_the_durable_bytes_and_no_other() -> None:
    world = Watched(seed=2, brokers=1, controllers=1)
    world.do("topic orders replicas=1", "produce orders 3", "stop 1", "start 1", "produce orders 4")
    name = "orders-0/00000000000000000000.log"
    whole = world.files[1].read(name, 0, 1 << 20)
    durable = world.files[1].load_books(name).durable
    assert 0 < durable < len(whole)
    world.do("power-loss 1")
    assert world.files[1].read(name, 0, 1 << 20) == whole[:durable]
    lost = world.of(PowerLost)[0]
    assert (name, len(whole), durable, durable, durable) in lost.files
    world.do("start 1")
    world.until(lambda: world.leader() == 1)
    assert sum(item.record_count for item in world.cluster().lost(ORDERS) or ()) == 4


def test_a_lying_fsync_loses_what_it_claimed() -> None:
    settings = replace(classroom_timing(), flush_partitions=True)
    world = Watched(seed=2, brokers=1, controllers=1, settings=settings)
    world.do("topic orders replicas=1", "produce orders 3", "fsync lie 1", "produce orders 4")
    name = "orders-0/00000000000000000000.log"
    books = world.files[1].load_books(name)
    assert books.claimed == books.written > books.durable
    world.do("kill 1", "start 1")
    world.until(lambda: world.leader() == 1)
    assert world.cluster().lost(ORDERS) == [], "a kill takes nothing away"
    world.do("power-loss 1", "start 1")
    world.until(lambda: world.leader() == 1)
    assert sum(item.record_count for item in world.cluster().lost(ORDERS) or ()) == 4


def test_a_voter_forgets_its_vote_when_its_fsync_lied() -> None:
    world = Watched(seed=5, brokers=0)
    world.do("fsync lie 101", "fsync lie 102", "fsync lie 103")
    world.until(lambda: world.cluster().quorum_leader != -1)
    world.do("power-loss 101,102,103")
    assert all("__cluster_metadata-0/quorum-state" not in world.files[node].names() for node in world.nodes)


def test_every_fault_is_told_when_injected_applied_and_reverted() -> None:
    world = Watched(seed=1)
    world.do("topic orders", "cut 1>2", "fsync slow 3 20ms", "pause 2", "heal")
    numbers = [[event.fault_id for event in world.of(kind)] for kind in (FaultInjected, FaultApplied, FaultReverted)]
    assert numbers == [[1, 2, 3], [1, 2, 3], [1, 2, 3]]
    applied = [entry for entry in world.entries if isinstance(entry.event, FaultApplied)]
    injected = [entry for entry in world.entries if isinstance(entry.event, FaultInjected)]
    assert [entry.cause for entry in applied] == [entry.id for entry in injected]


@pytest.mark.parametrize(
    "text",
    [
        "kill 9",
        "start 1",
        "resume 1",
        "heal 4",
        "produce nothing 1",
        "cut 1>1",
        "topic a replicas=7",
        "undo",
        "nonsense",
    ],
)
def test_a_command_that_makes_no_sense_is_refused_and_told(text: str) -> None:
    world = Watched(seed=1)
    assert not world.send(text).ok
    assert world.of(CommandRejected)[0].command == text


def test_the_leader_tells_of_a_follower_that_comes_back_at_the_same_offset() -> None:
    world = Watched(seed=3, brokers=2)
    world.do("topic orders replicas=2 assign=1,2", "produce orders 1")
    world.until(lambda: world.cluster().identical(ORDERS))
    world.do("stop 2")
    since = len(world.entries)
    world.do("start 2")
    world.until(lambda: world.isr() == (1, 2))
    ends = [event.log_end_offset for event in world.of(FollowerProgress, 1, since)]
    assert ends == [1], "what the new life holds is told, though the number is the old one"


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_leader_s_epoch_begins_where_its_log_ends(seed: int) -> None:
    """Also when the metadata that makes it the leader is applied in a step in which a fetch answer arrives."""
    world = Watched(seed=seed, brokers=2, controllers=1)
    world.do("topic orders replicas=2 assign=1,2")
    world.do("fsync slow 2 20ms", "produce orders 5000 in-flight=5 wait=no")
    world.advance(0.1)
    world.do("stop 1")
    world.until(lambda: world.leader() == 2)
    ends = 0
    for entry in world.entries:
        if entry.node == 2 and isinstance(entry.event, ReplicaAppended):
            ends = entry.event.end_offset
        if entry.node == 2 and isinstance(entry.event, BecameLeader):
            assert entry.event.epoch_start_offset == ends > 0


def test_freeze_stops_everything_and_thaw_lets_it_go_on() -> None:
    world = Watched(seed=1)
    world.do("topic orders", "pause 3", "freeze")
    since = len(world.entries)
    world.advance(10)
    assert len(world.entries) == since
    world.do("thaw")
    assert world.is_paused(3)
    assert not world.is_paused(1)
    world.until(lambda: world.cluster().active_controller != -1)


def test_a_stop_that_takes_too_long_is_forced() -> None:
    world = Watched(seed=1, controllers=3, brokers=1)
    world.do("topic orders replicas=1", "kill 101", "kill 102", "kill 103")
    assert "forced" in world.send("stop 1").text


def test_combined_nodes_elect_and_replicate() -> None:
    world = Watched(seed=1, combined=True)
    assert world.nodes == (1, 2, 3)
    world.do("topic orders min-isr=2", "produce orders 5", "kill controller", "produce orders 5")
    assert world.cluster().acked_count(ORDERS) == 10


def test_protocols_survive_an_unkind_network() -> None:
    world = Watched(seed=5, options=Options(loss=0.02, duplicate=0.02, reorder=0.02))
    world.do("topic orders min-isr=2", "produce orders 30 batch=2")
    world.advance(10)
    assert world.cluster().lost(ORDERS) == []
    assert world.cluster().divergence(ORDERS) is None
    assert not world.logs


def test_a_run_begins_and_ends_with_the_lab() -> None:
    world = Watched(seed=1)
    world.do("topic orders")
    world.finish()
    assert isinstance(world.entries[0].event, RunStarted)
    assert world.entries[0].event.world == "simulated"
    assert isinstance(world.entries[-1].event, RunEnded)
    assert not world.processes
