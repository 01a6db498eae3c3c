"""One life of a node: what pauses, slow and full disks and ends do to it."""

from __future__ import annotations

import pytest

from cluster.model import exit_codes
from cluster.model.errors import StorageFailed
from cluster.model.events import (
    FramesReleased,
    Fsynced,
    LeaderElected,
    ProcessExited,
    ProcessReady,
    ReplicaAppended,
    RoleChanged,
    StorageError,
    VoteGranted,
)
from tests.support.traces.watched import ORDERS, Watched


def test_a_paused_node_says_nothing_and_its_timers_fire_late() -> None:
    world = Watched(seed=2)
    world.do("topic orders", "produce orders 1")
    leader = world.cluster().quorum_leader
    world.do(f"pause {leader}")
    since = len(world.entries)
    world.advance(5)
    assert not [entry for entry in world.entries[since:] if entry.node == leader]
    assert world.cluster().quorum_leader not in (leader, -1), "the others elect another"
    woken = len(world.entries)
    world.do(f"resume {leader}")
    heard = [item.event for item in world.entries[woken:] if item.node == leader]
    said = [event for event in heard if isinstance(event, RoleChanged)]
    assert said, "check-quorum ran out while it slept"
    assert said[0].role != "leader"
    world.until(lambda: world.cluster().node(leader).quorum_role == "follower")


def test_a_node_paused_while_it_starts_comes_up_when_it_goes_on() -> None:
    world = Watched(seed=1)
    for node in world.nodes:
        world.processes[node].pause()
    world.advance(3)
    assert not world.of(ProcessReady)
    for node in world.nodes:
        world.processes[node].resume()
    assert len(world.of(ProcessReady)) == 6
    world.until(lambda: world.cluster().active_controller != -1)


def test_a_slow_disk_delays_a_vote_and_what_is_said_after_it() -> None:
    world = Watched(seed=3, brokers=0)
    world.do("status")
    for node in world.nodes:
        world.do(f"fsync slow {node} 40ms")
    world.until(lambda: bool(world.of(LeaderElected)))
    first = next(entry for entry in world.entries if isinstance(entry.event, RoleChanged))
    granted = next(item for item in world.entries if isinstance(item.event, VoteGranted) and not item.event.pre_vote)
    assert granted.t_ns - first.t_ns >= 40_000_000


def test_a_slow_flush_holds_the_acknowledgement_not_the_node() -> None:
    world = Watched(seed=3, brokers=1, controllers=1)
    world.do("topic orders replicas=1")
    world.do("fsync slow 101 200ms")
    since = len(world.entries)
    began = world.now_s()
    world.do("topic slow replicas=1")
    assert world.now_s() - began >= 0.2
    assert world.of(Fsynced, 101, since)


def test_a_node_whose_disk_is_full_says_so_and_ends() -> None:
    world = Watched(seed=4)
    world.do("topic orders assign=1,2,3", "produce orders 3", "disk-full 2 100")
    world.do("produce orders 5 acks=1")
    world.until(lambda: not world.is_up(2))
    assert world.of(StorageError, 2)[0].errno == 28
    exited = world.of(ProcessExited)[-1]
    assert (exited.node_id, exited.exit_code, exited.expected) == (2, exit_codes.STORAGE_FAILED, False)
    world.do("disk-ok 2", "start 2")
    world.until(lambda: world.cluster().identical(ORDERS))


class Broken:
    """A node with a bug."""

    def handle(self, *_given: object) -> None:
        raise AssertionError("an epoch never goes back")


def test_a_bug_ends_the_node_with_its_traceback() -> None:
    world = Watched(seed=5)
    world.do("topic orders", "produce orders 1")
    world.processes[1]._driver.node = Broken()  # type: ignore[assignment]
    world.until(lambda: not world.is_up(1))
    assert world.of(ProcessExited)[-1].exit_code == exit_codes.CRASHED
    assert "an epoch never goes back" in world.logs[-1][1]


def test_a_node_that_cannot_read_its_files_ends_at_once() -> None:
    world = Watched(seed=6)
    world.do("topic orders", "kill 101")
    world.files[101].write("__cluster_metadata-0/quorum-state", b"garbage", 0)
    answer = world.send("start 101")
    assert not answer.ok
    assert f"code {exit_codes.STORAGE_FAILED}" in answer.text
    with pytest.raises(KeyError):
        world.processes[101]


def test_a_failing_disk_at_a_checkpoint_or_a_late_flush_ends_the_node(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise StorageFailed(5, "fsync")

    for what in ("checkpoint", "flush"):
        world = Watched(seed=7)
        world.do("topic orders")
        store = world.processes[101].store
        monkeypatch.setattr(type(store), what, refuse)
        world.until(lambda world=world: not world.is_up(101))
        assert world.of(StorageError, 101)[0].errno == 5
        monkeypatch.undo()


def test_a_controlled_stop_leaves_a_marker_and_a_kill_does_not() -> None:
    world = Watched(seed=8)
    world.do("topic orders", "produce orders 2", "stop 3", "kill 2")
    assert ".kafka_cleanshutdown" in world.files[3].names()
    assert ".kafka_cleanshutdown" not in world.files[2].names()
    codes = {event.node_id: (event.exit_code, event.expected) for event in world.of(ProcessExited)}
    assert codes == {3: (0, True), 2: (-9, True)}


def test_a_killed_node_keeps_every_written_byte() -> None:
    world = Watched(seed=9)
    world.do("topic orders assign=1,2,3", "produce orders 10")
    written = {name: world.files[1].load_books(name).written for name in world.files[1].names()}
    world.do("kill 1")
    assert {name: world.files[1].load_books(name).written for name in world.files[1].names()} == written
    appended = len(world.of(ReplicaAppended, 1))
    assert appended == 10


def test_a_node_that_has_ended_says_nothing_more() -> None:
    """Healing two ways at once delivers what was held: a node that ends by the first must not tell of the second."""
    world = Watched(seed=1)
    world.until(lambda: len(world.of(ProcessReady)) == len(world.nodes))
    node = world.processes[101]
    world.do("kill 101")
    told = len(world.entries)
    node.tell(FramesReleased(source=101, target=102, count=1), "healed")
    assert world.entries[told:] == []
