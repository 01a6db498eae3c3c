"""What the disks of Apache Kafka's nodes say, told as the events that our own nodes would write.

Read again and again: the metadata log of the controllers up to where a majority has it, each replica's log, the
checkpoints of high watermarks and log starts, and who leads the quorum. What comes and goes between two looks is not
seen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cluster.model import events as ev
from cluster.model.events import Event
from cluster.model.identifiers import METADATA, NO_NODE, NodeId, TopicPartition
from cluster.model.record_batch import CorruptBatchError, read_header
from cluster.picture.logs import Batch
from judges.apache_kafka.metadata_log import BrokerTold, MetadataLog, PartitionTold, committed_end, values_of
from judges.apache_kafka.nodes import KafkaNodes
from judges.apache_kafka.properties import checkpoint_of, quorum_state_of

Tell = Callable[[NodeId, Event], None]
INTERNAL = "__"
HIGH_WATERMARKS, LOG_STARTS = "replication-offset-checkpoint", "log-start-offset-checkpoint"


@dataclass(slots=True)
class _LogFile:
    """How far one metadata log was read."""

    at: int = 0
    end_offset: int = 0
    batches: list[tuple[int, int, bytes]] = field(default_factory=list)
    """(end offset, leader epoch, bytes) of each."""


class Disks:
    """Looks at the disks of one cluster. Nobody else writes its events."""

    def __init__(self, nodes: KafkaNodes, tell: Tell) -> None:
        self._nodes, self._tell = nodes, tell
        self._metadata: dict[NodeId, _LogFile] = {}
        self._taken = 0
        self._log = MetadataLog()
        self._replicas: dict[tuple[NodeId, TopicPartition], list[Batch]] = {}
        self._marks: dict[tuple[str, NodeId, TopicPartition], int] = {}
        self._quorum: dict[NodeId, tuple[int, int, str]] = {}
        self.leader: NodeId = NO_NODE
        """Of the quorum, as the newest state says that a controller has of itself."""
        self.epoch = 0
        self.incarnations: dict[NodeId, int] = {}
        """How often each broker has registered."""

    def leader_of(self, where: TopicPartition) -> NodeId:
        """As the metadata log has it."""
        found = self._log.partitions.get(where)
        return NO_NODE if found is None else found.leader

    def look(self) -> None:
        """Tell all that has changed since the last look."""
        self._look_at_quorum()
        self._look_at_metadata()
        for where, facts in sorted(self._log.partitions.items()):
            if not where.topic.startswith(INTERNAL):
                for node in facts.replicas:
                    self._look_at_replica(node, where)

    def _look_at_quorum(self) -> None:
        for node in self._nodes.controllers:
            text = _text(self._nodes.log_dir(node) / str(METADATA) / "quorum-state")
            found = quorum_state_of(text)
            epoch, leader = found.get("leaderEpoch"), found.get("leaderId")
            if not self._nodes.is_up(node) or not isinstance(epoch, int) or not isinstance(leader, int):
                self._quorum.pop(node, None)
                continue
            role = "leader" if leader == node else "follower" if leader >= 0 else "unattached"
            if self._quorum.get(node) != (epoch, leader, role):
                self._quorum[node] = epoch, leader, role
                self._tell(node, ev.RoleChanged(
                    role=role, epoch=epoch, leader_id=leader, voted_for=NO_NODE, why="quorum-state"
                ))  # fmt: skip
                if role == "leader" and epoch > self.epoch:
                    self.leader, self.epoch = node, epoch
                    self._tell(node, ev.LeaderElected(epoch=epoch, epoch_start_offset=-1, votes=()))

    def _look_at_metadata(self) -> None:
        logs = {node: self._read_on(node) for node in self._nodes.controllers}
        end = committed_end({node: log.end_offset for node, log in logs.items()})
        best = max(logs.values(), key=lambda log: (log.batches[-1][1] if log.batches else -1, log.end_offset))
        for end_offset, _, data in best.batches:
            if self._taken < end_offset <= end:
                self._taken = end_offset
                for value in values_of(data):
                    before = dict(self._log.min_isr)
                    decision = self._log.take(value)
                    if decision is not None:
                        self._tell_decision(decision)
                    elif before != self._log.min_isr:  # a setting is none of a partition's state, whose epoch stays
                        for state in self._log.partitions.values():
                            self._tell_decision(state)

    def _read_on(self, node: NodeId) -> _LogFile:
        log = self._metadata.setdefault(node, _LogFile())
        path = self._nodes.log_dir(node) / str(METADATA) / f"{0:020}.log"
        with suppress(OSError), path.open("rb") as file:
            size = file.seek(0, 2)
            if size < log.at:  # cut by the protocol: read it anew
                log.at, log.end_offset, log.batches = 0, 0, []
            file.seek(log.at)
            data = file.read()
            for end_offset, epoch, batch in _batches_of(data):
                log.at += len(batch)
                log.end_offset = end_offset
                log.batches.append((end_offset, epoch, batch))
        return log

    def _tell_decision(self, change: PartitionTold | BrokerTold) -> None:
        if isinstance(change, BrokerTold):
            self._tell_broker(change)
            return
        where = change.where
        common: dict[str, Any] = {
            "topic": where.topic, "partition": where.partition, "leader": change.leader,
            "leader_epoch": change.leader_epoch, "partition_epoch": change.partition_epoch, "isr": change.isr,
            "elr": change.elr, "replicas": change.replicas,
            "min_insync_replicas": self._log.min_isr.get(where.topic, 1),
        }  # fmt: skip
        if not where.topic.startswith(INTERNAL):
            self._tell(self.leader, ev.PartitionDecided(**common, why="", unclean=change.recovering))
            self._tell(self.leader, ev.PartitionApplied(**common))

    def _tell_broker(self, change: BrokerTold) -> None:
        broker, epoch = change.broker_id, change.broker_epoch
        if change.is_registered:
            self.incarnations[broker] = self.incarnations.get(broker, 0) + 1
            self._tell(
                self.leader, ev.BrokerRegistered(broker_id=broker, incarnation_id=str(epoch), broker_epoch=epoch)
            )
        elif change.fenced:
            self._tell(self.leader, ev.BrokerFenced(broker_id=broker, broker_epoch=epoch, why="as the log says"))
        else:
            self._tell(self.leader, ev.BrokerUnfenced(broker_id=broker, broker_epoch=epoch))

    def _look_at_replica(self, node: NodeId, where: TopicPartition) -> None:
        folder = self._nodes.log_dir(node) / str(where)
        if not folder.is_dir():
            return
        found = [batch for path in sorted(folder.glob("*.log")) for batch in _cells_of(path)]
        known = self._replicas.setdefault((node, where), [])
        same = next((at for at, (a, b) in enumerate(zip(known, found, strict=False)) if a != b), None)
        kept = min(len(known), len(found)) if same is None else same
        if kept < len(known):
            self._tell_cut(node, where, known, kept)
        if new := found[kept:]:
            end = new[-1][0] + new[-1][1]
            self._tell(node, ev.ReplicaAppended(
                topic=where.topic, partition=where.partition, base_offset=new[0][0],
                count=sum(batch[1] for batch in new), end_offset=end, leader_epoch=new[-1][2], batches=tuple(new),
                role="", size_bytes=0,
            ))  # fmt: skip
        known[:] = found
        if self._nodes.is_up(node):
            self._look_at_marks(node, where)

    def _tell_cut(self, node: NodeId, where: TopicPartition, known: list[Batch], kept: int) -> None:
        end = known[kept][0]
        old_end = known[-1][0] + known[-1][1]
        self._tell(node, ev.ReplicaTruncated(
            topic=where.topic, partition=where.partition, end_offset=end, old_end_offset=old_end,
            high_watermark=self._marks.get(("high_watermark", node, where), -1), mode="fetch", why="seen on its disk",
        ))  # fmt: skip

    def _look_at_marks(self, node: NodeId, where: TopicPartition) -> None:
        """A log start that is the first of a segment is in no checkpoint. Source: Kafka LogManager."""
        folder = self._nodes.log_dir(node)
        for offset in self._moved("high_watermark", node, where, _offset(folder / HIGH_WATERMARKS, where)):
            self._tell(node, ev.HighWatermarkAdvanced(
                topic=where.topic, partition=where.partition, high_watermark=offset, leader_epoch=-1, role="",
                log_end_offsets=(),
            ))  # fmt: skip
        first = min((int(path.stem) for path in (folder / str(where)).glob("[0-9]*.log")), default=0)
        begins = max(first, _offset(folder / LOG_STARTS, where) or 0)
        before = self._marks.get(("log_start", node, where), 0)
        for offset in self._moved("log_start", node, where, begins or None):
            self._tell(node, ev.LogStartAdvanced(
                topic=where.topic, partition=where.partition, log_start_offset=offset, old_log_start_offset=before,
                high_watermark=-1, role="",
            ))  # fmt: skip

    def _moved(self, kind: str, node: NodeId, where: TopicPartition, offset: int | None) -> Iterator[int]:
        if offset is not None and self._marks.get((kind, node, where)) != offset:
            self._marks[kind, node, where] = offset
            yield offset


def _offset(checkpoint: Path, where: TopicPartition) -> int | None:
    return checkpoint_of(_text(checkpoint)).get((where.topic, where.partition))


def _text(path: Path) -> str:
    """Empty while there is none."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def _batches_of(data: bytes) -> Iterator[tuple[int, int, bytes]]:
    """(end offset, leader epoch, bytes) of each whole batch; a file that grows may end within one."""
    at = 0
    with suppress(CorruptBatchError):
        while at < len(data):
            header = read_header(data, at)
            if at + header.size_bytes > len(data):
                return
            yield header.end_offset, header.leader_epoch, data[at : at + header.size_bytes]
            at += header.size_bytes


def _cells_of(path: Path) -> list[Batch]:
    try:
        data = path.read_bytes()
    except OSError:
        return []
    return [
        (header.base_offset, header.count, header.leader_epoch, f"{header.crc:08x}")
        for header in (read_header(batch) for _, _, batch in _batches_of(data))
    ]
