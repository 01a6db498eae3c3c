"""Folding literal events into the cluster's state."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry, UnknownEvent
from cluster.model.events import Event
from cluster.model.identifiers import METADATA, TopicPartition
from cluster.picture.cluster_state import ClusterState
from cluster.picture.logs import Cell
from tests.support.fault_events import fault_fields

TP = TopicPartition("orders", 0)
AT: dict[str, Any] = {"topic": "orders", "partition": 0}


def folded(*pairs: tuple[int, Event | UnknownEvent], state: ClusterState | None = None) -> ClusterState:
    state = state or ClusterState()
    for seq, (node, event) in enumerate(pairs):
        state.apply(Entry("r", node, 0, seq, state.t_ns + 1, 0, 0, None, "", None, event))
    return state


def started(node: int, roles: tuple[str, ...] = ("broker",)) -> tuple[int, Event]:
    return 0, ev.ProcessStarted(node_id=node, roles=roles, incarnation_number=0, pid=7)


def ready(node: int) -> tuple[int, Event]:
    return 0, ev.ProcessReady(node_id=node, port=1)


def appended(node: int, base: int, count: int, crc: str, epoch: int = 0) -> tuple[int, Event]:
    event = ev.ReplicaAppended(
        **AT, base_offset=base, count=count, end_offset=base + count, leader_epoch=epoch,
        batches=((base, count, epoch, crc),), role="leader", size_bytes=1,
    )  # fmt: skip
    return node, event


def applied(leader: int, isr: tuple[int, ...], leader_epoch: int, partition_epoch: int) -> tuple[int, Event]:
    event = ev.PartitionApplied(
        **AT, leader=leader, leader_epoch=leader_epoch, partition_epoch=partition_epoch, isr=isr, elr=(),
        replicas=(1, 2, 3), min_insync_replicas=2,
    )  # fmt: skip
    return 1, event


def told(base: int, operation: int = 1, client: str = "c") -> tuple[int, Event]:
    event = ev.OperationSucceeded(
        client_id=client, operation_id=operation, function="produce", **AT, base_offset=base, count=1, values=("a",)
    )
    return 1001, event


def truncated(node: int, end: int, old: int) -> tuple[int, Event]:
    event = ev.ReplicaTruncated(**AT, end_offset=end, old_end_offset=old, high_watermark=1, mode="fetch", why="x")
    return node, event


def alive() -> ClusterState:
    return folded(*(pair for node in (1, 2, 3) for pair in (started(node), ready(node))))


def test_a_process_goes_through_its_life() -> None:
    state = folded(started(1))
    assert state.nodes[1].process == "starting"
    folded(ready(1), state=state)
    assert state.nodes[1].process == "running"
    folded((0, ev.FaultApplied(**fault_fields(1, "Pause", "1"))), state=state)
    assert state.nodes[1].process == "paused"
    assert state.faults[1].kind == "Pause"
    folded((0, ev.FaultReverted(**fault_fields(1, "Pause", "1"))), state=state)
    assert (state.nodes[1].process, state.faults) == ("running", {})
    folded((0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True)), state=state)
    assert (state.nodes[1].process, state.nodes[1].exit_code) == ("down", -9)


def test_freeze_pauses_all_and_a_thaw_leaves_paused_who_was_paused_alone() -> None:
    state = alive()
    folded((0, ev.FaultApplied(**fault_fields(1, "Pause", "2"))), state=state)
    freeze = fault_fields(2, "Freeze", "", (1, 3))
    folded((0, ev.FaultApplied(**freeze)), state=state)
    assert {node.process for node in state.nodes.values()} == {"paused"}
    folded((0, ev.FaultReverted(**freeze)), state=state)
    assert [node.process for node in state.nodes.values()] == ["running", "paused", "running"]


def test_a_process_that_starts_during_a_freeze_is_not_frozen() -> None:
    state = alive()
    freeze = fault_fields(2, "Freeze", "", (1, 2, 3))
    folded((0, ev.FaultApplied(**freeze)), state=state)
    gone = ev.ProcessExited(node_id=2, incarnation_number=0, exit_code=-9, expected=True)
    folded((0, gone), started(2), ready(2), state=state)
    assert [node.process for node in state.nodes.values()] == ["paused", "running", "paused"]


def test_a_disk_is_in_all_that_its_faults_in_force_say() -> None:
    state = alive()
    lie, lie_dir = fault_fields(2, "FsyncLie", "2"), fault_fields(3, "FsyncLieDir", "2")
    for fields in (lie, lie_dir, fault_fields(4, "Delay", "1-2 50ms"), fault_fields(5, "Misread", "2")):
        folded((0, ev.FaultApplied(**fields)), state=state)
    assert not state.nodes[1].faults and not state.nodes[3].faults
    folded((0, ev.FaultReverted(**lie)), state=state)
    suffered = [kind for kind in ("FsyncLie", "FsyncLieDir", "Misread", "Delay") if state.nodes[2].suffers(kind)]
    assert suffered == ["FsyncLieDir", "Misread"]


def test_committed_state_never_goes_back() -> None:
    state = folded(applied(2, (2, 3), 1, 1), applied(1, (1, 2, 3), 0, 0))
    facts = state.facts(TP)
    assert facts is not None
    assert (facts.leader, facts.isr, facts.leader_epoch) == (2, (2, 3), 1)


def test_a_truncation_leaves_ghosts_and_is_listed() -> None:
    state = folded(*(appended(1, offset, 1, f"{offset}") for offset in range(3)), truncated(1, 1, 3))
    log = state.log(1, TP)
    assert (log.log_end_offset, list(log.cells)) == (1, [Cell(0, 1, 0, "0")])
    assert log.ghosts == ((1, 0), (2, 0))
    assert [(cut.node, cut.old_end_offset, cut.end_offset, cut.kind) for cut in state.cuts] == [(1, 3, 1, "truncated")]


def test_a_log_found_shorter_at_a_start_is_a_loss() -> None:
    recovered = ev.LogRecovered(
        **AT, valid_bytes=1, dropped_bytes=0, log_end_offset=1, high_watermark=1,
        batches=((0, 1, 0, ("0",)),), why="scanned",
    )  # fmt: skip
    state = folded(appended(1, 0, 1, "0"), appended(1, 1, 1, "1"), (1, recovered))
    assert [(cut.kind, cut.end_offset) for cut in state.cuts] == [("lost", 1)]
    assert state.log(1, TP).cells == [Cell(0, 1, 0, "0")]


def test_lost_are_records_of_kafka_clients_too_that_asked_for_acks_all() -> None:
    said: dict[str, Any] = {
        **AT,
        "client_id": "rdkafka",
        "error": 0,
        "base_offset": 0,
        "count": 2,
        "kafka_client": True,
    }
    state = folded(
        applied(1, (1,), 0, 0),
        appended(1, 0, 1, "a"),
        appended(1, 1, 1, "b"),
        (1, ev.ProduceAnswered(**said, acks=-1)),
        (1, ev.ProduceAnswered(**said, acks=1)),
    )
    assert (state.acked_count(TP), state.lost(TP)) == (2, [])
    folded(applied(2, (2,), 1, 1), appended(2, 0, 1, "a", 1), state=state)
    assert [(item.base_offset, item.client_id) for item in state.lost(TP) or ()] == [(1, "rdkafka")]


def test_lost_are_acknowledged_records_that_the_leader_does_not_hold() -> None:
    state = folded(applied(1, (1,), 0, 0), appended(1, 0, 1, "a"), told(0))
    assert (state.acked_count(TP), state.lost(TP)) == (1, [])
    folded(applied(2, (2,), 1, 1), state=state)
    assert [item.base_offset for item in state.lost(TP) or ()] == [0]
    folded(appended(2, 0, 1, "b", 1), state=state)
    assert len(state.lost(TP) or ()) == 1, "another record at the same offset does not make up for it"
    folded(applied(-1, (2,), 2, 2), state=state)
    assert state.lost(TP) is None


def test_a_record_is_lost_once_no_replica_holds_it_whoever_leads() -> None:
    """One that a zombie, or a broker that is down, still had was called lost as soon as another led."""
    both = (appended(1, 0, 1, "a"), appended(1, 1, 1, "a"), appended(2, 0, 1, "a"), told(0), told(1))
    state = folded(applied(1, (1, 2), 0, 0), *both)
    folded(applied(-1, (1, 2), 1, 1), state=state)
    assert state.missing().counts == (0, 0), "broker 1 has the second one"
    folded(applied(2, (2,), 2, 2), state=state)
    missing = state.missing(TP)
    assert (missing.lost, [item.base_offset for item in missing.kept], missing.keepers) == ([], [1], (1,))
    folded(truncated(1, 1, 2), state=state)
    assert [item.base_offset for item in state.missing(TP).lost] == [1] and state.missing().counts == (1, 0)
    folded(applied(-1, (2,), 3, 3), state=state)
    assert state.missing(TP).counts == (1, 0)


def test_replicas_are_identical_or_diverged() -> None:
    state = folded(applied(1, (1, 2, 3), 0, 0), state=alive())
    folded(*(appended(node, 0, 1, "a") for node in (1, 2, 3)), state=state)
    assert state.identical(TP)
    folded(appended(1, 1, 1, "b"), state=state)
    assert not state.identical(TP)
    assert state.divergence(TP) is None, "one log is only longer"
    folded(appended(2, 1, 1, "c"), state=state)
    assert state.divergence(TP) == 1


def test_metadata_cells_follow_the_epochs_of_an_append() -> None:
    event = ev.MetadataAppended(base_offset=0, end_offset=4, epochs=((1, 0), (2, 3)), kinds=("a",) * 4, role="leader")
    state = folded((101, event))
    assert state.log(101, METADATA).cells == [Cell(0, 3, 1, ""), Cell(3, 1, 2, "")]


def _metadata(node: int, base: int, end: int) -> tuple[int, Event]:
    epochs = tuple((1, offset) for offset in range(base, end))
    return node, ev.MetadataAppended(base_offset=base, end_offset=end, epochs=epochs, kinds=(), role="leader")


def test_a_metadata_log_that_was_cut_before_a_snapshot_begins_there() -> None:
    advanced = ev.MetadataLogStartAdvanced(log_start_offset=3, old_log_start_offset=0, log_end_offset=5)
    log = folded(_metadata(101, 0, 5), (101, advanced)).log(101, METADATA)
    assert (log.log_start_offset, log.log_end_offset, log.epoch_at(3)) == (3, 5, 1)
    assert [base for base, *_ in log.cells] == [3, 4]
    assert not log.holds(2, 1) and log.holds(3, 1)


def test_a_snapshot_takes_the_place_of_a_whole_metadata_log() -> None:
    installed = ev.SnapshotInstalled(
        end_offset=9, epoch=2, size_bytes=1, old_log_start_offset=0, old_end_offset=4, leader_id=102
    )
    state = folded(_metadata(101, 0, 4), (101, installed))
    log = state.log(101, METADATA)
    assert (log.log_start_offset, log.log_end_offset, log.durable_offset, list(log.cells)) == (9, 9, 9, [])
    state = folded(_metadata(101, 9, 11), state=state)
    assert (log.log_end_offset, [base for base, *_ in state.log(101, METADATA).cells]) == (11, [9, 10])
    assert state.losses == []


def test_what_a_log_held_past_the_snapshot_that_replaces_it_is_cut() -> None:
    installed = ev.SnapshotInstalled(
        end_offset=2, epoch=2, size_bytes=1, old_log_start_offset=0, old_end_offset=4, leader_id=102
    )
    state = folded(_metadata(101, 0, 4), (101, installed))
    assert state.log(101, METADATA).log_end_offset == 2
    assert [(cut.old_end_offset, cut.end_offset) for cut in state.cuts] == [(4, 2)]


def test_errors_count_by_function_also_when_retried() -> None:
    asked = ev.OperationInvoked(client_id="c", operation_id=1, function="produce", **AT, acks=-1, value="v")
    again = ev.OperationRetried(client_id="c", operation_id=1, error=19, attempt=2, target=1)
    failed = ev.OperationFailed(client_id="c", operation_id=1, function="produce", **AT, error=19)
    state = folded((1001, asked), (1001, again))
    assert state.open_operations() == 1
    folded((1001, failed), state=state)
    assert (state.errors["produce", 19], state.open_operations(), state.clients["c"].failed) == (2, 0, 1)


def test_elections_are_listed_when_the_leader_epoch_changes() -> None:
    def decided(leader: int, leader_epoch: int, partition_epoch: int) -> tuple[int, Event]:
        event = ev.PartitionDecided(
            **AT, leader=leader, leader_epoch=leader_epoch, partition_epoch=partition_epoch, isr=(1,), elr=(),
            replicas=(1, 2), min_insync_replicas=1, why="w", unclean=False,
        )  # fmt: skip
        return 101, event

    state = folded(decided(1, 0, 0), decided(1, 0, 1), decided(2, 1, 2))
    assert [(item.leader, item.epoch) for item in state.elections] == [(1, 0), (2, 1)]


def test_a_partition_is_there_once_it_is_committed_and_never_when_it_is_taken_back() -> None:
    """Between both the screen told of a partition without a leader, in epoch -1, with no replica of none in sync."""
    event = ev.PartitionDecided(
        **AT, leader=1, leader_epoch=0, partition_epoch=0, isr=(1, 2), elr=(), replicas=(1, 2), min_insync_replicas=1,
        why="created", unclean=False,
    )  # fmt: skip
    state = folded((101, event), controller_wrote(0, 3))
    assert state.partitions == {} and [item.leader for item in state.elections] == [1]
    before = state.copy()
    assert [item.isr for item in folded(committed_to(3), state=state).partitions.values()] == [(1, 2)]
    assert state.unsettled == {} and before.partitions == {}
    other = ev.LeaderElected(epoch=2, epoch_start_offset=0, votes=(102, 103))
    assert folded((102, other), committed_to(3), state=before).partitions == {}


def test_events_of_a_newer_version_change_nothing() -> None:
    state = folded((1, UnknownEvent("new.thing", ())))
    assert (state.entries, state.nodes) == (1, {})


def controller_wrote(base: int, end: int) -> tuple[int, Event]:
    return 101, ev.MetadataAppended(
        base_offset=base, end_offset=end, epochs=((1, base),), kinds=("PartitionRecord",), role="leader"
    )


def committed_to(end: int) -> tuple[int, Event]:
    return 101, ev.MetadataHighWatermarkAdvanced(epoch=1, high_watermark=end, role="leader", log_end_offsets=())


def applied_by(node: int, metadata_offset: int, partition_epoch: int) -> tuple[int, Event]:
    event = ev.PartitionApplied(
        **AT, leader=1, leader_epoch=0, partition_epoch=partition_epoch, isr=(1, 2), elr=(), replicas=(1, 2, 3),
        min_insync_replicas=2, metadata_offset=metadata_offset,
    )  # fmt: skip
    return node, event


def test_a_broker_that_was_away_brings_no_deleted_topic_back() -> None:
    state = folded(controller_wrote(0, 9), applied_by(1, 9, 3), (101, ev.TopicDeleted(topic="orders", topic_id=1,
                   partitions=1)), controller_wrote(9, 12), committed_to(12), applied_by(2, 8, 2))  # fmt: skip
    assert state.topics == {}
    assert state.facts(TP) is None


def test_another_topic_of_a_name_that_was_deleted_begins_anew() -> None:
    state = folded(controller_wrote(0, 9), applied_by(1, 9, 3), (101, ev.TopicDeleted(topic="orders", topic_id=1,
                   partitions=1)), controller_wrote(9, 12), committed_to(12), controller_wrote(12, 14),
                   applied_by(1, 14, 0))  # fmt: skip
    folded(applied_by(2, 8, 2), state=state)
    facts = state.facts(TP)
    assert state.topics == {"orders": 1}
    assert facts is not None
    assert facts.partition_epoch == 0
