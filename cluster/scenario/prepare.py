"""Lays down what a script gives its cluster, as files that a node of an earlier life could have left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.cluster_spec import ClusterSpec
from cluster.model.codec import encode_metadata_record
from cluster.model.election_state import ElectionState
from cluster.model.events import Event, FaultApplied, FaultInjected
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.model.metadata_records import LeaderChangeRecord, MetadataRecord, NoOpRecord, PartitionRecord, TopicRecord
from cluster.model.partition_state import PartitionState
from cluster.model.record_batch import Record, encode_batch
from cluster.scenario.given import (
    ONLY_SIMULATED,
    Given,
    GivenElection,
    GivenHighWatermark,
    GivenLeader,
    GivenLog,
    GivenTopic,
    given_to,
    network_in,
    quorum_log_end,
)
from cluster.scenario.script import ClusterPlan
from cluster.storage.checkpoints import write_high_watermarks
from cluster.storage.disk import Disk
from cluster.storage.election_file import write_election
from cluster.storage.files import Files
from cluster.storage.log import open_log, topic_directory

FilesOf = Callable[[NodeId], Files]
Batches = list[tuple[Epoch, Record, bool]]
"""(epoch, record, whether it is a control record), one for each offset."""


def prepare(spec: ClusterSpec, files_of: FilesOf) -> None:
    """Write all that is given. The nodes must not have been started yet."""
    given = given_to(spec)
    for node in spec.nodes:
        logs, marks = _logs(spec, given, node), _high_watermarks(given, node)
        election = _election(spec, given, node)
        if not logs and not marks and election is None:
            continue
        disk = Disk(files_of(node))
        for topic_partition, batches in logs.items():
            _write_log(disk, topic_partition, batches)
        if marks:
            write_high_watermarks(disk, marks)
        if election is not None:
            write_election(disk, election)
        disk.close()


def why_only_simulated(plan: ClusterPlan) -> str:
    """The first line that real processes cannot be given, and why; empty when there is none."""
    for given, words, line in zip(plan.given, plan.given_lines, plan.given_at, strict=True):
        if type(given) in ONLY_SIMULATED:
            return f"line {line}: 'given {words}' can only be --simulated: {ONLY_SIMULATED[type(given)]}"
    return ""


def told_of_network(spec: ClusterSpec) -> tuple[Event, ...]:
    """What a run tells of an unkind network: a fault from its beginning to its end; nothing of a kind one."""
    network = network_in(given_to(spec))
    if network is None or not spec.options.is_unkind:
        return ()
    shares = f"loss={network.loss}% duplicate={network.duplicate}% reorder={network.reorder}%"
    parameters = tuple((name, str(getattr(network, name))) for name in ("loss", "duplicate", "reorder"))
    fault: dict[str, Any] = {
        "kind": "UnkindNetwork", "arguments": shares, "family": "message", "parameters": parameters
    }  # fmt: skip
    injected = FaultInjected(fault_id=0, command=f"given network {shares}", **fault)
    return injected, FaultApplied(fault_id=0, **fault)


def _election(spec: ClusterSpec, all_given: tuple[Given, ...], node: NodeId) -> ElectionState | None:
    """The quorum-state of a node. A leader to be is voted for in the epoch after all that are in the logs."""
    for given in all_given:
        if isinstance(given, GivenElection) and node in given.nodes:
            return ElectionState(epoch=given.epoch, leader_id=given.leader_id, voted_for=given.voted_for)
        if isinstance(given, GivenLeader) and node in spec.voters:
            return ElectionState(
                epoch=1 + max(quorum_log_end(all_given, voter)[0] for voter in spec.nodes), voted_for=given.node
            )
    return None


def _logs(spec: ClusterSpec, all_given: tuple[Given, ...], node: NodeId) -> dict[TopicPartition, Batches]:
    logs = {}
    topics = [given for given in all_given if isinstance(given, GivenTopic)]
    if topics and node in spec.voters:
        logs[METADATA] = _metadata_of(topics, spec.voters)
    for given in all_given:
        if isinstance(given, GivenLog) and node in given.nodes:
            quorum = given.topic_partition == METADATA
            logs[given.topic_partition] = _quorum_batches(given, spec.voters) if quorum else _data_batches(given)
    return logs


def _high_watermarks(all_given: tuple[Given, ...], node: NodeId) -> dict[TopicPartition, Offset]:
    marks = [item for item in all_given if isinstance(item, GivenHighWatermark)]
    return {item.topic_partition: item.offset for item in marks if node in item.nodes}


def _data_batches(given: GivenLog) -> Batches:
    """Records of one epoch and offset are the same on every replica."""
    return [
        (run.epoch, Record(None, f"e{run.epoch}@{offset}".encode()), False)
        for run in given.runs
        for offset in range(run.first, run.last + 1)
    ]


def _quorum_batches(given: GivenLog, voters: tuple[NodeId, ...]) -> Batches:
    """The first record of each epoch is its leader's, the others change nothing."""
    batches: Batches = []
    for run in given.runs:
        batches.append((run.epoch, _leader_change(voters), True))
        batches += [(run.epoch, encode_metadata_record(NoOpRecord()), False)] * (run.last - run.first)
    return batches


def _metadata_of(topics: list[GivenTopic], voters: tuple[NodeId, ...]) -> Batches:
    """Epoch 1 with each topic and its one partition."""
    records: list[MetadataRecord] = []
    for topic_id, given in enumerate(topics, start=1):
        records.append(TopicRecord(topic=given.topic, topic_id=topic_id, min_insync_replicas=given.min_isr))
        state = PartitionState(
            topic_id=topic_id,
            replicas=given.replicas,
            isr=given.isr,
            leader=NO_NODE,
            leader_epoch=given.leader_epoch,
            partition_epoch=0,
            min_insync_replicas=given.min_isr,
        )
        records.append(PartitionRecord(topic=given.topic, partition=0, state=state, why="given"))
    return [(1, _leader_change(voters), True), *((1, encode_metadata_record(item), False) for item in records)]


def _leader_change(voters: tuple[NodeId, ...]) -> Record:
    return encode_metadata_record(LeaderChangeRecord(leader_id=voters[0], voters=voters, granting_voters=voters))


def _write_log(disk: Disk, topic_partition: TopicPartition, batches: Batches) -> None:
    log, _ = open_log(disk, topic_directory(topic_partition), topic_partition, clean=True, high_watermark=0)
    for offset, (epoch, record, control) in enumerate(batches):
        log.append(encode_batch([record], offset, epoch, control=control))
    log.close()
