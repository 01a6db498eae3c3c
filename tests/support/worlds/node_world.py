"""Several nodes in memory: logs that survive a kill, a network without delay, one virtual clock. Deterministic."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any

from cluster.model.effects import (
    AdoptEpoch,
    AdvanceLogStart,
    Append,
    AssignEpoch,
    CancelTimer,
    CheckpointHighWatermark,
    Emit,
    Flush,
    HaltNode,
    PersistElection,
    ReadWallClock,
    Send,
    SetTimer,
    StopNode,
    Truncate,
)
from cluster.model.election_state import ElectionState
from cluster.model.identifiers import EDGE_ID, METADATA, Epoch, LogEnd, NodeId, Offset, TopicPartition
from cluster.model.inputs import Flushed, Input, NodeStarted, Received, StopRequested, TimerFired, WallClockRead
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.log_view import LogView, SegmentFacts
from cluster.model.record_batch import batches
from cluster.model.settings import Settings, classroom_timing
from cluster.node.config import NodeConfig
from cluster.node.node import Node

CLIENT: NodeId = 1001


class MemoryLog:
    """A LogView over a list of batches."""

    def __init__(self) -> None:
        self.batches: list[tuple[Offset, Offset, Epoch, bytes]] = []
        self.leader_epochs = LeaderEpochs()
        self.log_start_offset = 0
        self.flushed_offset = 0
        self.adopted_epoch = self.cleaned_offset = -1

    @property
    def log_end_offset(self) -> Offset:
        return self.batches[-1][1] if self.batches else self.log_start_offset

    @property
    def last_epoch(self) -> Epoch:
        return self.batches[-1][2] if self.batches else 0

    def segments(self) -> tuple[SegmentFacts, ...]:
        return ()

    def end(self) -> LogEnd:
        return LogEnd(self.last_epoch, self.log_end_offset)

    def ends(self) -> list[Offset]:
        return [batch[1] for batch in self.batches]

    def end_of_cut(self, end_offset: Offset) -> Offset:
        return max([end for end in self.ends() if end <= end_offset], default=self.log_start_offset)

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None = None) -> bytes:
        found = [b for b in self.batches if b[1] > start_offset and (end_offset is None or b[1] <= end_offset)]
        return b"".join(b[3] for b in found)

    def append(self, records: bytes) -> None:
        for header, view in batches(records):
            assert header.base_offset == self.log_end_offset
            self.leader_epochs.assign(header.leader_epoch, header.base_offset)
            self.batches.append((header.base_offset, header.end_offset, header.leader_epoch, bytes(view)))

    def enter(self, effect: AssignEpoch | AdoptEpoch) -> None:
        if isinstance(effect, AdoptEpoch):
            self.adopted_epoch = effect.epoch
        else:
            self.leader_epochs.assign(effect.epoch, effect.start_offset)

    def truncate(self, end_offset: Offset) -> None:
        self.batches = [b for b in self.batches if b[1] <= end_offset]
        self.leader_epochs.truncate_from_end(end_offset)

    def advance_start(self, start_offset: Offset) -> None:
        if start_offset > self.log_end_offset:
            self.batches, self.leader_epochs = [], LeaderEpochs()
        self.leader_epochs.truncate_from_start(start_offset)
        self.log_start_offset = start_offset
        self.batches = [b for b in self.batches if b[1] > start_offset]


class MemoryDisk:
    """What a node keeps when it is killed. Implements LogStore."""

    def __init__(self) -> None:
        self.logs: dict[TopicPartition, MemoryLog] = {}
        self.election: ElectionState | None = None
        self.broker_epoch = -1
        self.high_watermarks: dict[TopicPartition, Offset] = {}
        self.topic_ids: dict[TopicPartition, int] = {}

    def found(self) -> tuple[TopicPartition, ...]:
        return tuple(sorted(self.logs))

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> None:
        """Its logs never end a file."""

    def size_bytes(self, topic_partition: TopicPartition) -> int:
        return sum(len(batch[3]) for batch in self.logs[topic_partition].batches)

    def remove(self, topic_partition: TopicPartition) -> None:
        for kept in (self.logs, self.high_watermarks, self.topic_ids):
            kept.pop(topic_partition, None)

    def open(self, topic_partition: TopicPartition, topic_id: int = -1) -> tuple[LogView, Offset]:
        if topic_id not in (-1, self.topic_ids.setdefault(topic_partition, topic_id)):
            self.remove(topic_partition)
            self.topic_ids[topic_partition] = topic_id
        return self.logs.setdefault(topic_partition, MemoryLog()), self.high_watermarks.get(topic_partition, 0)


class SeenReplicas:
    """Stands in the place of the replica manager and remembers what it was told."""

    def __init__(self) -> None:
        self.broker_epoch = -1
        self.opened: set[TopicPartition] = set()
        self.told: list[Input] = []

    def is_open(self, topic_partition: TopicPartition) -> bool:
        return topic_partition in self.opened

    def open(self, topic_partition: TopicPartition, log: LogView, high_watermark: Offset) -> None:
        self.opened.add(topic_partition)

    def configure(self, topic_partition: TopicPartition, own: Any) -> list[Any]:
        """It follows no settings."""
        return []

    def close(self, topic_partition: TopicPartition) -> list[Any]:
        self.opened.discard(topic_partition)
        return []

    def find_coordinator(self, coordinator_of: Callable[[str], int]) -> None:
        """Nobody's transactions are asked about."""

    def find_partitions(self, exists: Callable[[TopicPartition], bool]) -> None:
        """Nobody is refused."""

    def begin_step(self) -> None:
        """Nothing is kept from one input to the next."""

    def end_step(self) -> list[Any]:
        """Nothing is kept from one input to the next."""
        return []

    def handle(self, happened: Input, now_ms: int) -> list[Any]:
        self.told.append(happened)
        return []


class NodeWorld:
    """Runs nodes until something is reached."""

    def __init__(
        self, roles: Mapping[NodeId, tuple[str, ...]], settings: Settings | None = None, make_replicas: Any = None
    ) -> None:
        self.make_replicas = make_replicas or (lambda node: SeenReplicas())
        self.roles = roles
        self.settings = settings or classroom_timing()
        self.now_ms = 0
        self.nodes: dict[NodeId, Node] = {}
        self.replicas: dict[NodeId, Any] = {}
        self.cuts: set[tuple[NodeId, NodeId]] = set()
        self.halted: dict[NodeId, str] = {}
        self.disks = {node: MemoryDisk() for node in roles}
        self.events: list[tuple[NodeId, Any]] = []
        self.answers: list[Any] = []
        self.answered: dict[int, Any] = {}
        self._asked = 3
        self.cut_off: set[NodeId] = set()
        self._lives = dict.fromkeys(roles, 0)
        self._inbox: deque[tuple[NodeId, int, Input]] = deque()
        self._timers: dict[tuple[NodeId, str], int] = {}
        self._heap: list[tuple[int, int, NodeId, str]] = []
        self._order = 0
        for node in roles:
            self.start(node)

    def start(self, node: NodeId) -> None:
        """A new process on the disk that is there."""
        self._lives[node] += 1
        disk = self.disks[node]
        config = NodeConfig(
            node_id=node,
            roles=self.roles[node],
            controllers=tuple(n for n, r in self.roles.items() if "controller" in r),
            brokers=tuple(n for n, r in self.roles.items() if "broker" in r),
            settings=self.settings,
            incarnation_id=f"{node}-{self._lives[node]}",
        )
        self.replicas[node] = self.make_replicas(node)
        epoch, disk.broker_epoch = disk.broker_epoch, -1
        self.nodes[node] = Node(config, disk, disk.election, epoch, self.replicas[node])
        self._inbox.append((node, self._lives[node], NodeStarted()))
        self._drain()

    def kill(self, node: NodeId) -> None:
        """Gone at once; its logs stay."""
        del self.nodes[node]
        self._timers = {key: due for key, due in self._timers.items() if key[0] != node}

    def stop(self, node: NodeId) -> None:
        """Asked to leave in order."""
        self.give(node, StopRequested())

    def ask(self, node: NodeId, message: Any) -> None:
        """A client's request; its answer is appended to answers."""
        self.send_as_client(node, message)

    def send_as_client(self, node: NodeId, message: Any) -> int:
        """A client's request; its answer will be in answered under the correlation returned."""
        return self._ask(node, CLIENT, message)

    def send_as_edge(self, node: NodeId, message: Any) -> int:
        """What the broker's listener asks for a Kafka client."""
        return self._ask(node, EDGE_ID, message)

    def _ask(self, node: NodeId, sender: NodeId, message: Any) -> int:
        self._asked += 4
        self.give(node, Received(sender=sender, correlation=self._asked, message=message))
        return self._asked

    def give(self, node: NodeId, happened: Input) -> None:
        """One input and everything that follows at once."""
        self._inbox.append((node, self._lives[node], happened))
        self._drain()

    def until(self, reached: Any, limit_ms: int = 30_000) -> None:
        """Move the clock from timer to timer until it is so."""
        end_ms = self.now_ms + limit_ms
        while not reached():
            assert self._heap and self._heap[0][0] <= end_ms, f"not reached within {limit_ms} ms"
            due, _, node, name = heapq.heappop(self._heap)
            if self._timers.get((node, name)) != due:
                continue
            del self._timers[node, name]
            self.now_ms = due
            self.give(node, TimerFired(name=name))

    def active(self) -> NodeId:
        """The active controller; -1 for none."""
        return max((n for n, s in self.nodes.items() if s.is_active_controller), default=-1)

    def _drain(self) -> None:
        while self._inbox:
            node, life, happened = self._inbox.popleft()
            server = self.nodes.get(node)
            if server is None or life != self._lives[node]:
                continue
            for effect in server.handle(happened, self.now_ms):
                self._perform(node, effect)
            if server.is_behind and server is self.nodes.get(node):
                for effect in server.catch_up(self.now_ms):
                    self._perform(node, effect)

    def _end(self, node: NodeId, effect: HaltNode | StopNode) -> None:
        if isinstance(effect, HaltNode):
            self.halted[node] = effect.why
        else:
            self.disks[node].broker_epoch = effect.broker_epoch
        self.kill(node)

    def _perform(self, node: NodeId, effect: Any) -> None:
        disk = self.disks[node]
        match effect:
            case Send(target=target, message=message, correlation=correlation):
                self._send(node, target, Received(sender=node, correlation=correlation, message=message))
            case Emit(event=event):
                self.events.append((node, event))
            case SetTimer(name=name, delay_ms=delay_ms, jitter_ms=jitter_ms):
                self._order += 1
                due = self.now_ms + delay_ms + (jitter_ms * (self._order * 37 % 101)) // 101
                self._timers[node, name] = due
                heapq.heappush(self._heap, (due, self._order, node, name))
            case CancelTimer(name=name):
                self._timers.pop((node, name), None)
            case PersistElection():
                disk.election = ElectionState(
                    epoch=effect.epoch, leader_id=effect.leader_id, voted_for=effect.voted_for
                )
            case Append(topic_partition=tp, records=records):
                disk.logs[tp].append(records)
            case Truncate(topic_partition=tp, end_offset=end_offset):
                disk.logs[tp].truncate(end_offset)
            case AssignEpoch() | AdoptEpoch():
                disk.logs[effect.topic_partition].enter(effect)
            case AdvanceLogStart(topic_partition=tp, start_offset=start_offset):
                disk.logs[tp].advance_start(start_offset)
            case Flush(topic_partition=tp):
                disk.logs[tp].flushed_offset = disk.logs[tp].log_end_offset
                flushed = Flushed(topic_partition=tp, end_offset=disk.logs[tp].log_end_offset)
                self._inbox.append((node, self._lives[node], flushed))
            case CheckpointHighWatermark(topic_partition=tp, high_watermark=high_watermark):
                disk.high_watermarks[tp] = high_watermark
            case ReadWallClock():
                self._inbox.append((node, self._lives[node], WallClockRead(wall_ms=self.now_ms)))
            case HaltNode() | StopNode():
                self._end(node, effect)
            case _:
                raise AssertionError(f"unexpected effect {effect}")

    def _send(self, node: NodeId, target: NodeId, received: Received) -> None:
        if target in (CLIENT, EDGE_ID):
            self.answers.append(received.message)
            self.answered[received.correlation] = received.message
        elif target == node or (not self.cut_off & {node, target} and (node, target) not in self.cuts):
            self._inbox.append((target, self._lives[target], received))

    def metadata_log(self, node: NodeId) -> MemoryLog:
        """For looking."""
        return self.disks[node].logs[METADATA]
