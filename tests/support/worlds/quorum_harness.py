"""A small world for quorum nodes: one clock, one queue, logs in memory. What was not flushed is lost with the power."""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable

from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, PersistElection, Send, SetTimer, Truncate
from cluster.model.election_state import ElectionState
from cluster.model.events import Event
from cluster.model.identifiers import METADATA, LogEnd, NodeId, Offset
from cluster.model.inputs import Disconnected, Flushed, Input, NodeStarted, Received, TimerFired
from cluster.model.leader_epochs import LeaderEpochs
from cluster.model.log_view import SegmentFacts
from cluster.model.messages import Message
from cluster.model.metadata_records import NoOpRecord
from cluster.model.record_batch import BatchHeader, batches
from cluster.model.settings import Settings
from cluster.model.voters import Voter, VoterSet
from cluster.raft.quorum import DynamicQuorum, Quorum
from cluster.raft.roles import Role

CLIENT: NodeId = 1001


class MemoryLog:
    """A LogView over a list of batches."""

    def __init__(self) -> None:
        self.content: list[tuple[BatchHeader, bytes]] = []
        self.leader_epochs = LeaderEpochs()
        self.adopted_epoch = self.cleaned_offset = -1
        self.flushed_offset = 0
        self.log_start_offset = 0

    @property
    def log_end_offset(self) -> Offset:
        return self.content[-1][0].end_offset if self.content else 0

    @property
    def last_epoch(self) -> int:
        return self.content[-1][0].leader_epoch if self.content else 0

    def segments(self) -> tuple[SegmentFacts, ...]:
        return ()

    def end(self) -> LogEnd:
        return LogEnd(self.last_epoch, self.log_end_offset)

    def ends(self) -> list[Offset]:
        return [header.end_offset for header, _ in self.content]

    def end_of_cut(self, end_offset: Offset) -> Offset:
        return max([end for end in self.ends() if end <= end_offset], default=self.log_start_offset)

    def read(self, start_offset: Offset, max_bytes: int, end_offset: Offset | None = None) -> bytes:
        return b"".join(
            data
            for header, data in self.content
            if header.end_offset > start_offset and (end_offset is None or header.end_offset <= end_offset)
        )

    def append(self, records: bytes) -> None:
        for header, data in batches(records):
            assert header.base_offset == self.log_end_offset
            self.leader_epochs.assign(header.leader_epoch, header.base_offset)
            self.content.append((header, bytes(data)))

    def truncate(self, end_offset: Offset) -> None:
        self.content = [item for item in self.content if item[0].end_offset <= end_offset]
        self.leader_epochs.truncate_from_end(end_offset)
        self.flushed_offset = min(self.flushed_offset, self.log_end_offset)

    def marks(self) -> list[tuple[Offset, int, int]]:
        """(base offset, epoch, crc) of each batch."""
        return [(header.base_offset, header.leader_epoch, header.crc) for header, _ in self.content]


class World:
    """Quorum nodes under one clock and one seed."""

    def __init__(
        self,
        voters: int = 3,
        observers: int = 0,
        seed: int = 1,
        settings: Settings | None = None,
        spares: int | None = None,
    ) -> None:
        """`spares`: of a dynamic quorum, so many controllers more that do not vote at first; None for a static one."""
        self.settings = settings or Settings()
        self.disks: dict[NodeId, str] = {}
        self.first_voters: VoterSet = ()
        self.answers: list[object] = []
        self.random = random.Random(seed)
        self.voters = tuple(range(101, 101 + voters + (spares or 0)))
        self.ids = [*self.voters, *range(1, 1 + observers)]
        if spares is not None:
            self.disks = {node: f"disk-{node}" for node in self.ids}
            self.first_voters = tuple(Voter(node, self.disks[node]) for node in self.voters[:voters])
        self.now_ms = 0
        self.queue: list[tuple[int, int, NodeId, int, Input]] = []
        self.count = 0
        self.logs = {node: MemoryLog() for node in self.ids}
        self.saved: dict[NodeId, ElectionState | None] = dict.fromkeys(self.ids)
        self.lives = dict.fromkeys(self.ids, 0)
        self.timers: dict[tuple[NodeId, str], int] = {}
        self.nodes: dict[NodeId, Quorum] = {}
        self.events: list[tuple[int, NodeId, Event]] = []
        self.cut: set[tuple[NodeId, NodeId]] = set()
        self.leaders: dict[int, NodeId] = {}
        self.committed: dict[Offset, tuple[int, int]] = {}
        for node in self.ids:
            self.start(node)

    def start(self, node: NodeId) -> None:
        self.lives[node] += 1
        self.nodes[node] = Quorum(
            node, self.voters, self.settings, self.logs[node], self.saved[node], dynamic=self._dynamic(node)
        )
        self.feed(node, NodeStarted())

    def _dynamic(self, node: NodeId) -> DynamicQuorum | None:
        if not self.disks:
            return None
        first = self.first_voters if Voter(node, self.disks[node]) in self.first_voters else ()
        joins = self.settings.auto_join and node > 100
        return DynamicQuorum(directory_id=self.disks[node], first_voters=first, joins=joins)

    def replace_disk(self, node: NodeId) -> None:
        """Of a node that is down."""
        self.logs[node], self.saved[node], self.disks[node] = MemoryLog(), None, f"{self.disks[node]}-new"

    def ask(self, node: NodeId, message: Message) -> None:
        """As an admin client; what it is answered is the next of `answers`."""
        self.feed(node, Received(sender=CLIENT, correlation=1, message=message))

    def kill(self, node: NodeId, *, power_loss: bool = False) -> None:
        del self.nodes[node]
        self.lives[node] += 1
        self.timers = {key: value for key, value in self.timers.items() if key[0] != node}
        if power_loss:
            self.logs[node].truncate(self.logs[node].flushed_offset)

    def isolate(self, node: NodeId) -> None:
        self.cut |= {pair for other in self.ids for pair in ((node, other), (other, node))}

    def push(self, delay_ms: int, node: NodeId, happened: Input) -> int:
        self.count += 1
        heapq.heappush(self.queue, (self.now_ms + delay_ms, self.count, node, self.lives[node], happened))
        return self.count

    def feed(self, node: NodeId, happened: Input) -> list[Effect]:
        effects = self.nodes[node].handle(happened, self.now_ms)
        self.perform(node, effects)
        self.check(node)
        return effects

    def propose(self, node: NodeId) -> Offset:
        base_offset, effects = self.nodes[node].append((NoOpRecord(),), self.now_ms)
        self.perform(node, effects)
        return base_offset

    def perform(self, node: NodeId, effects: list[Effect]) -> None:
        log = self.logs[node]
        for effect in effects:
            match effect:
                case Emit(event=event):
                    self.events.append((self.now_ms, node, event))
                case Send(target=target, message=message) if target == CLIENT:
                    self.answers.append(message)
                case Send(target=target, message=message, correlation=correlation):
                    if (node, target) not in self.cut and target in self.nodes:
                        arrived = Received(sender=node, correlation=correlation, message=message)
                        self.push(self.random.randint(1, 5), target, arrived)
                    elif target not in self.nodes:
                        self.push(self.random.randint(1, 5), node, Disconnected(peer=target))
                case SetTimer(name=name, delay_ms=delay, jitter_ms=jitter):
                    drawn = delay + (self.random.randrange(jitter) if jitter else 0)
                    self.timers[node, name] = self.push(drawn, node, TimerFired(name=name))
                case CancelTimer(name=name):
                    self.timers.pop((node, name), None)
                case PersistElection(epoch=epoch, leader_id=leader_id, voted_for=voted_for):
                    self.saved[node] = ElectionState(epoch=epoch, leader_id=leader_id, voted_for=voted_for)
                case Append(records=records):
                    log.append(records)
                case Truncate(end_offset=end_offset):
                    log.truncate(end_offset)
                case Flush():
                    log.flushed_offset = log.log_end_offset
                    done = Flushed(topic_partition=METADATA, end_offset=log.log_end_offset)
                    self.push(self.random.randint(0, 2), node, done)
                case _:
                    raise AssertionError(effect)

    def step(self) -> None:
        due, number, node, life, happened = heapq.heappop(self.queue)
        self.now_ms = due
        if life != self.lives[node] or node not in self.nodes:
            return
        if isinstance(happened, TimerFired):
            if self.timers.get((node, happened.name)) != number:
                return
            del self.timers[node, happened.name]
        self.feed(node, happened)

    def run(self, until: Callable[[], bool], limit_ms: int = 60_000) -> None:
        end = self.now_ms + limit_ms
        while not until():
            assert self.queue and self.queue[0][0] <= end, f"not reached within {limit_ms} ms"
            self.step()

    def run_for(self, milliseconds: int) -> None:
        end = self.now_ms + milliseconds
        while self.queue and self.queue[0][0] <= end:
            self.step()
        self.now_ms = end

    def leader(self) -> NodeId | None:
        """The live leader of the highest epoch whose own record is committed."""
        leading = [node for node, quorum in self.nodes.items() if quorum.role is Role.LEADER]
        ready = [node for node in leading if self.nodes[node].high_watermark > self.nodes[node].epoch_start_offset]
        return max(ready, key=lambda node: self.nodes[node].epoch, default=None)

    def elect(self) -> NodeId:
        self.run(lambda: self.leader() is not None)
        leader = self.leader()
        assert leader is not None
        return leader

    def check(self, node: NodeId) -> None:
        """One leader in an epoch; what is committed stays as it is."""
        quorum, log = self.nodes[node], self.logs[node]
        saved = self.saved[node]
        assert saved is None or saved.epoch == quorum.epoch
        if quorum.role is Role.LEADER:
            elected_now = quorum.epoch not in self.leaders
            assert self.leaders.setdefault(quorum.epoch, node) == node, "two leaders in one epoch"
            newest = elected_now and quorum.epoch == max(self.leaders)
            missing = newest and [offset for offset in self.committed if offset >= log.log_end_offset]
            assert not missing, f"leader {node} lacks committed records {missing}"
        if quorum.high_watermark > 0:
            for header, _ in log.content:
                if header.end_offset <= quorum.high_watermark:
                    mark = (header.leader_epoch, header.crc)
                    assert self.committed.setdefault(header.base_offset, mark) == mark, "committed record changed"
