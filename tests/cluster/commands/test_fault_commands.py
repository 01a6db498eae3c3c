"""Damage to the disk of a node that is down, and what a node that comes back makes of it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.commands.carry_out import carry_out
from cluster.faults.grammar import COMMANDS
from cluster.model import exit_codes
from cluster.model.events import FaultApplied, FaultReverted, Fsynced, ProcessExited, StorageError
from cluster.model.settings import classroom_timing
from cluster.simulation.world.cluster import SimulatedCluster
from tests.support.traces.watched import ORDERS, Watched, at_once


def world_with_five_records() -> Watched:
    world = Watched(seed=1)
    world.do("topic orders min-isr=1 assign=1,2,3", "produce orders 5")
    world.advance(1)
    return world


def test_a_node_that_runs_keeps_its_disk() -> None:
    world = world_with_five_records()
    for command in ("wipe 3", "tear 3 orders-0", "rot 3 orders-0 2"):
        answer = world.send(command)
        assert not answer.ok
        assert "kill 3 comes first" in answer.text


def test_a_torn_batch_is_cut_at_the_start_and_fetched_again() -> None:
    world = world_with_five_records()
    world.do("kill 3", "tear 3 orders-0", "start 3")
    assert world.cluster().log(3, ORDERS).log_end_offset == 4
    world.advance(3)
    assert world.cluster().identical(ORDERS)


def test_what_is_not_there_is_refused_and_leaves_no_fault() -> None:
    world = world_with_five_records()
    world.do("kill 3")
    assert "holds no offset 9" in world.send("rot 3 orders-0 9").text
    assert "faults: 1 kill 3" in world.send("status").text


def test_damage_is_told_as_applied_and_over_since_nothing_can_heal_it() -> None:
    world = world_with_five_records()
    world.do("kill 3", "wipe 3")
    told = [item.event for item in world.entries if isinstance(item.event, FaultApplied | FaultReverted)]
    assert [(type(item), item.kind) for item in told[-2:]] == [(FaultApplied, "Wipe"), (FaultReverted, "Wipe")]
    world.do("start 3")
    world.advance(3)
    assert world.cluster().identical(ORDERS)


class _OfProcesses(SimulatedCluster):
    """A world that says of itself what one of processes says."""

    @property
    def is_simulated(self) -> bool:
        return False


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("lose 1-2 10%", "TCP delivers late or resets"),
        ("duplicate 1-2 10%", "never delivers a message twice"),
        ("reorder 1-2 10%", "never lets a message overtake"),
        ("clock skew 1 +2s", "share its clock"),
        ("clock drift 1 2%", "share its clock"),
        ("clock ok 1", "share its clock"),
        ("crash 1 after vote", "killed from outside"),
    ],
)
def test_real_processes_say_why_they_cannot(text: str, why: str) -> None:
    world = Watched(seed=1)
    world.desk.world = _OfProcesses(world.config)
    answer = at_once(carry_out(world.desk, text, world.ready))
    assert not answer.ok
    assert answer.text.startswith("that exists only in the simulated world: ")
    assert why in answer.text
    assert world.of(FaultApplied) == []
    assert sum(bool(kind.only_simulated) for kind in COMMANDS) == 7


def test_a_lossy_network_is_healed_for_nodes_and_clients() -> None:
    world = Watched(seed=1)
    world.do("topic orders min-isr=2", "lose all 20%", "duplicate all 20%", "produce orders 20")
    assert {item.kind for item in world.of(FaultApplied)} == {"LoseMessages", "DuplicateMessages"}
    world.do("heal")
    assert {item.kind for item in world.of(FaultReverted)} == {"LoseMessages", "DuplicateMessages"}
    since = len(world.entries)
    world.do("produce orders 50")
    operations = [entry for entry in world.entries[since:] if entry.event.name == "op.invoked"]
    assert len(operations) == 50  # nobody has to ask twice


def test_an_armed_node_is_disarmed_by_heal_and_by_any_other_end() -> None:
    world = Watched(seed=1)
    world.do("topic orders", "crash 1 after append", "heal", "produce orders 1")
    assert world.is_up(1)
    world.do("crash 1 after append", "kill 1", "start 1", "produce orders 1")
    assert world.is_up(1)
    assert "faults: none" in world.send("status").text


def test_a_broker_whose_fsync_fails_halts_and_the_retry_lies() -> None:
    world = Watched(seed=1, settings=replace(classroom_timing(), flush_partitions=True))
    world.do("topic orders min-isr=2 assign=1,2,3", "produce orders 2", "fsync fail 2", "produce orders 3")
    assert not world.is_up(2)
    assert [(item.errno, item.what.split()[0]) for item in world.of(StorageError, 2)] == [(5, "fsync")]
    assert not world.send("start 2").ok, "a start makes what it found durable first"
    assert not world.is_up(2)
    assert world.of(ProcessExited)[-1].exit_code == exit_codes.STORAGE_FAILED
    world.do("fsync ok 2", "start 2")
    world.advance(2)
    assert any(item.lied for item in world.of(Fsynced, 2))


def test_heal_names_every_node_that_stays_down_whoever_ended_it() -> None:
    world = Watched(seed=1, settings=replace(classroom_timing(), flush_partitions=True))
    world.do("topic orders min-isr=1 assign=1,2,3", "fsync fail 2", "produce orders 3", "kill 3")
    assert not world.is_up(2)
    assert world.send("heal").text == "1 fault healed: 1 fsync fail 2; down until started: 2, 3"


def test_a_torn_sequence_after_power_loss_is_explained_and_fetched_again() -> None:
    for pick in range(6):
        world = Watched(seed=1)
        world.do("topic orders min-isr=1 assign=1,2,3", "produce orders 6")
        world.advance(1)
        world.do(f"power-loss 3 keep=writes pick={pick}", "start 3")
        world.advance(3)
        assert world.cluster().identical(ORDERS)
