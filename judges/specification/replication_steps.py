"""One partition of a run as labelled steps of the replication specifications, each with its place in one line.

A fetch counts where the leader answered it, not where the follower wrote it. "Become follower and truncate" is one
step: at the first fetch that the leader of the epoch answers, or in mode hw at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter

from cluster.faults.disks import Damage
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.identifiers import UNKNOWN_OFFSET, Epoch, NodeId, Offset, TopicPartition
from judges.specification.causal_order import Recording, asker, settings_of
from judges.specification.not_judged import NotJudged

RecordKey = tuple[Offset, int, Epoch, str, int]
"""(base offset, records, leader epoch, digest) of its batch, and its place in it."""
DAMAGE = frozenset(kind.__name__ for kind in Damage.__subclasses__())
BY_MAJORITY = "a majority of replicas commits here; in the specifications all of the ISR does"
WITH_GAPS = {
    ev.LogStartAdvanced.name: "records were deleted: the specifications know no log start",
    ev.CleaningBegan.name: "records were compacted: the specifications' logs have no gaps",
}
"""What happens to logs that the specifications have no word for."""
Decided = ev.PartitionDecided | ev.PartitionApplied


@dataclass(slots=True)
class Step:
    """Something of the run that the specification has a word for."""

    place: tuple[int, int, int, int]
    label: str
    node: NodeId
    """0 for the controller."""
    entry: Entry
    """The event that claims it."""
    records: tuple[RecordKey, ...] = ()
    high_watermark: Offset = 0
    end_offset: Offset = 0
    epoch: Epoch = -1
    leader: NodeId = 0
    """0 for nobody."""
    isr: tuple[NodeId, ...] = ()
    elr: tuple[NodeId, ...] = ()
    """Eligible leader replicas, where the run has them."""
    cut: Offset | None = None
    by_leader: bool = False
    unclean: bool = False
    heard: dict[NodeId, Offset] = field(default_factory=dict)
    """By follower: where it asked last from the leader that does this."""
    behind: frozenset[NodeId] = frozenset()
    """Who had not asked from the end of the leader's log, as far as it knew, when it asked for another ISR."""
    again: bool = False
    """Not the first start of the node."""
    may_lack: bool = False
    """Since it last started its disk lost power or was damaged."""


@dataclass(slots=True)
class _Waiting:
    """A follower that has not been answered by its new leader yet."""

    epoch: Epoch
    leader: NodeId
    cut: Offset | None = None
    place: tuple[int, int] = (0, 0)
    entry: Entry | None = None


@dataclass(slots=True)
class _Seen:
    """What a replica has by now, and when it had what."""

    end_offset: Offset = 0
    high_watermark: Offset = 0
    started: bool = False
    history: list[tuple[int, int, Offset, Offset]] = field(default_factory=list)
    """(place, logical clock, log end, high watermark) after each of its entries."""


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a partition, in order."""

    steps: tuple[Step, ...]
    replicas: tuple[NodeId, ...]
    mode: str
    """How the run cut its logs."""


def mode_of(entries: Iterable[Entry]) -> str:
    """How the run cuts logs; NotJudged when it does not say."""
    settings = settings_of(entries)
    if settings is not None:
        return str(settings.get("truncation_mode", "fetch"))
    raise NotJudged("the recording does not say its settings")


def steps_of(recording: Recording, partition: TopicPartition, judged_as: str) -> Steps:
    """The steps, linearised as the specification of the mode `judged_as` counts them. NotJudged."""
    if (settings_of(recording.entries) or {}).get("commit_rule") == "majority":
        raise NotJudged(BY_MAJORITY)
    line = _Line(recording, partition, judged_as)
    for entry in recording.entries:
        line.take(entry)
    if line.replicas is None:
        raise NotJudged(f"the run has no partition {partition}")
    return Steps(tuple(sorted(line.steps, key=attrgetter("place"))), line.replicas, mode_of(recording.entries))


class _Line:
    def __init__(self, recording: Recording, partition: TopicPartition, mode: str) -> None:
        self._recording, self._partition, self._mode = recording, partition, mode
        self.steps: list[Step] = []
        self._seen: dict[NodeId, _Seen] = {}
        self._waiting: dict[NodeId, _Waiting] = {}
        self._leads: dict[NodeId, Epoch] = {}
        self._follows: dict[NodeId, tuple[NodeId, Epoch]] = {}
        self._cut_at_once: dict[NodeId, EventId] = {}
        self._taken: set[EventId] = set()
        self._heard: dict[NodeId, dict[NodeId, Offset]] = {}
        """By leader, then by follower: where it asked last since that one leads."""
        self._behind: dict[tuple[int, ...], frozenset[NodeId]] = {}
        """By leader, leader epoch and partition epoch of a wish for another ISR: who was behind."""
        settings = settings_of(recording.entries) or {}
        self._has_elr = settings.get("elr") is not False
        self._in_zookeeper = settings.get("control") == "zookeeper"
        self._hurt: set[NodeId] = set()
        """Nodes whose disks lost power since they started."""
        self._damaged: set[NodeId] = set()
        """A damage is found when it is read, at this start or a later one."""
        self.replicas: tuple[NodeId, ...] | None = None

    def _refuse(self, event: ev.Event | UnknownEvent) -> None:
        """NotJudged for what the specifications do not know of a topic."""
        if getattr(event, "topic", None) != self._partition.topic:
            return
        if isinstance(event, ev.TopicDeleted):
            raise NotJudged("the topic was deleted, which the specifications do not know")
        if isinstance(event, ev.TopicConfigChanged) and (event.config, event.value) == ("commit.rule", "majority"):
            raise NotJudged(BY_MAJORITY)

    def take(self, entry: Entry) -> None:
        """One entry of the run, in causal order."""
        event = entry.event
        if isinstance(event, ev.PowerLost):
            self._hurt.add(event.node_id)
        elif isinstance(event, ev.FaultApplied) and event.kind in DAMAGE:
            self._damaged.update(event.nodes)
        if (getattr(event, "topic", None), getattr(event, "partition", None)) != self._partition:
            self._refuse(event)
            return
        seen = self._seen.setdefault(entry.node, _Seen())
        match event:
            case ev.PartitionDecided() | ev.PartitionApplied():
                self._decided(entry, event)
            case ev.LogRecovered():
                self._recovered(entry, event, seen)
            case ev.LogStartAdvanced() | ev.CleaningBegan():
                raise NotJudged(WITH_GAPS[event.name])
            case ev.BecameLeader():
                self._give_up(entry.node)
                self._leads[entry.node], self._heard[entry.node] = event.leader_epoch, {}
                self._put((self._recording.place(entry), 0), "lead", entry, epoch=event.leader_epoch, isr=event.isr)
            case ev.BecameFollower():
                self._follower(entry, event)
            case ev.ReplicaTruncated():
                self._truncated(entry, event, seen)
            case ev.FollowerProgress():
                self._progress(entry, event)
            case ev.IsrProposed() | ev.IsrCommitted():
                self._isr(entry, event, seen)
            case ev.ReplicaAppended():
                self._appended(entry, event, seen)
            case ev.HighWatermarkAdvanced() if entry.id not in self._taken:
                self._watermark(entry, event, seen)
        now = (self._recording.place(entry), entry.lamport, seen.end_offset, seen.high_watermark)
        seen.history.append(now)

    def _put(
        self, when: tuple[int, int], label: str, entry: Entry, node: NodeId | None = None, **fields: object
    ) -> None:
        place = (*when, self._recording.place(entry), len(self.steps))
        self.steps.append(Step(place, label, entry.node if node is None else node, entry, **fields))  # type: ignore[arg-type]

    def _decided(self, entry: Entry, event: Decided) -> None:
        if isinstance(event, ev.PartitionApplied) and self.replicas is not None:
            return
        replicas = tuple(sorted(event.replicas))
        is_first = self.replicas is None
        if self.replicas not in (None, replicas):
            raise NotJudged("replicas were reassigned, which the specifications do not know")
        self.replicas = replicas
        asked: tuple[int, ...] = ()
        unclean = made = False
        if isinstance(event, ev.PartitionDecided):
            asked, unclean, made = event.asked_epochs, event.unclean, event.partition_epoch == 0
        self._put(
            (self._recording.place(entry), 0), "first" if is_first else "decide", entry, 0, epoch=event.leader_epoch,
            leader=max(event.leader, 0), isr=tuple(sorted(event.isr)), elr=event.elr if self._has_elr else (),
            by_leader=bool(asked), behind=self._behind.get((*asked[:1], *asked[2:]), frozenset()),
            unclean=unclean, again=not made,
        )  # fmt: skip

    def _isr(self, entry: Entry, event: ev.IsrProposed | ev.IsrCommitted, seen: _Seen) -> None:
        """What its leader wishes. One that writes to ZooKeeper itself decides it, and no controller tells it."""
        epoch = self._leads.get(entry.node, -1)
        if isinstance(event, ev.IsrProposed):
            heard, wish = self._heard.get(entry.node, {}), (entry.node, event.leader_epoch, event.partition_epoch)
            self._behind[wish] = frozenset(one for one in event.old_isr if heard.get(one, -1) < seen.end_offset)
        elif self._in_zookeeper:
            behind = self._behind.get((entry.node, epoch, event.partition_epoch - 1), frozenset())
            self._put(
                (self._recording.place(entry), 0), "decide", entry, 0, epoch=epoch, leader=entry.node,
                isr=tuple(sorted(event.isr)), by_leader=True, behind=behind,
            )  # fmt: skip

    def _recovered(self, entry: Entry, event: ev.LogRecovered, seen: _Seen) -> None:
        records = tuple(
            (base, count, epoch, digests[at] if len(digests) == count else "".join(digests[:1]), at)
            for base, count, epoch, digests in event.batches
            for at in range(count)
        )
        if event.log_start_offset > 0 or (not seen.started and event.log_end_offset != len(records)):
            raise NotJudged("a log that begins later than at 0, or of which not all is told, was opened")
        self._give_up(entry.node)
        self._leads.pop(entry.node, None)
        self._put(
            (self._recording.place(entry), 0), "recover", entry, high_watermark=event.high_watermark,
            end_offset=event.log_end_offset, records=records, again=seen.started,
            may_lack=entry.node in self._hurt | self._damaged,
        )  # fmt: skip
        self._hurt.discard(entry.node)
        seen.started, seen.end_offset, seen.high_watermark = True, event.log_end_offset, event.high_watermark

    def _give_up(self, node: NodeId) -> None:
        """A follower that was never answered follows no more; what it cut, it cut."""
        waiting = self._waiting.get(node)
        if waiting is not None and waiting.cut is not None and waiting.entry is not None:
            self._follow(node, (waiting.place[0], 1), waiting.entry)
        self._waiting.pop(node, None)
        self._follows.pop(node, None)

    def _follow(self, node: NodeId, when: tuple[int, int], entry: Entry) -> None:
        waiting = self._waiting.pop(node, None)
        if waiting is not None:
            self._put(when, "follow", entry, node, epoch=waiting.epoch, leader=waiting.leader, cut=waiting.cut)
            self._follows[node] = (waiting.leader, waiting.epoch)

    def _follower(self, entry: Entry, event: ev.BecameFollower) -> None:
        node, follows = entry.node, self._follows.get(entry.node)
        self._give_up(node)
        self._leads.pop(node, None)
        if event.leader == -1 or follows == (event.leader, event.leader_epoch):
            if follows is not None and event.leader != -1:
                self._follows[node] = follows
            return
        self._waiting[node] = waiting = _Waiting(event.leader_epoch, event.leader)
        if self._mode == "hw":
            self._cut_at_once[node] = self._recording.handler(entry).id
            beside = (other.event for other in self._recording.beside(entry))
            cuts = [cut.end_offset for cut in beside if isinstance(cut, ev.ReplicaTruncated) and self._is_mine(cut)]
            waiting.cut = cuts[0] if cuts else None
            self._follow(node, (self._recording.place(entry), 0), entry)

    def _is_mine(self, event: ev.ReplicaTruncated | ev.HighWatermarkAdvanced) -> bool:
        return (event.topic, event.partition) == self._partition

    def _truncated(self, entry: Entry, event: ev.ReplicaTruncated, seen: _Seen) -> None:
        when, waiting = self._answered(entry, 0, seen.high_watermark), self._waiting.get(entry.node)
        if waiting is not None:
            waiting.cut, waiting.place, waiting.entry = event.end_offset, when, entry
        elif self._cut_at_once.get(entry.node) != self._recording.handler(entry).id:
            self._put(when, "out-of-range", entry, cut=event.end_offset)
        seen.end_offset, seen.high_watermark = event.end_offset, min(seen.high_watermark, event.end_offset)

    def _progress(self, entry: Entry, event: ev.FollowerProgress) -> None:
        self._heard.setdefault(entry.node, {})[event.replica_id] = event.log_end_offset
        waiting = self._waiting.get(event.replica_id)
        if waiting is None or waiting.leader != entry.node:
            return
        if self._mode in ("hw", "kip101") or self._leads.get(entry.node) == waiting.epoch:
            self._follow(event.replica_id, (self._recording.place(entry), 0), waiting.entry or entry)

    def _appended(self, entry: Entry, event: ev.ReplicaAppended, seen: _Seen) -> None:
        records = tuple((*batch, at) for batch in event.batches for at in range(batch[1]))
        if event.role == "leader":
            self._put((self._recording.place(entry), 0), "write", entry, records=records)
            seen.end_offset = event.end_offset
            return
        told = next((other for other in self._recording.beside(entry) if self._is_told_with(entry, other)), None)
        if told is not None:
            self._taken.add(told.id)
            assert isinstance(told.event, ev.HighWatermarkAdvanced)
        shown = seen.high_watermark if told is None else told.event.high_watermark  # type: ignore[union-attr]
        when = self._answered(entry, event.end_offset, shown, event.leader_high_watermark)
        self._follow(entry.node, when, entry)
        self._put(when, "fetch", entry, records=records, high_watermark=shown)
        seen.end_offset, seen.high_watermark = event.end_offset, shown

    def _is_told_with(self, entry: Entry, other: Entry) -> bool:
        """The high watermark of the answer that brought the last records of this step."""
        if not isinstance(other.event, ev.HighWatermarkAdvanced) or not self._is_mine(other.event):
            return False
        between = (one for one in self._recording.beside(entry) if entry.seq < one.seq < other.seq)
        return other.seq > entry.seq and not any(isinstance(one.event, ev.ReplicaAppended) for one in between)

    def _watermark(self, entry: Entry, event: ev.HighWatermarkAdvanced, seen: _Seen) -> None:
        if event.role == "leader":
            when, label = (self._recording.place(entry), 0), "hw"
        else:
            when, label = self._answered(entry, 0, event.high_watermark, event.leader_high_watermark), "learn"
            self._follow(entry.node, when, entry)
        heard = {**self._heard.get(entry.node, {})}
        self._put(when, label, entry, high_watermark=event.high_watermark, heard=heard)
        seen.high_watermark = event.high_watermark

    def _answered(
        self, entry: Entry, end_offset: Offset, shown: Offset, leader_had: Offset = UNKNOWN_OFFSET
    ) -> tuple[int, int]:
        """Where the leader sent what was handled: its latest entry not after it at which it had what it told."""
        first = self._recording.handler(entry)
        sender = asker(first, "FetchResponse")
        if sender is None:
            sender = asker(first, "OffsetForLeaderEpochResponse")
        if sender is None:
            return self._recording.place(entry), 0
        cause = self._recording.get(first.cause)
        low = 0
        if cause is not None:
            low = self._recording.place(self._recording.handler(cause) if cause.node == sender else cause)
        history = self._seen[sender].history if sender in self._seen else []
        known = [one for one in history if one[1] < first.lamport]
        inside = [one for one in known if one[0] < low][-1:] + ([one for one in known if one[0] >= low] or known[-1:])
        own = self._seen[entry.node]
        for place, _, end, high_watermark in reversed(inside):
            fits = leader_had in (UNKNOWN_OFFSET, high_watermark)
            follows = max(own.high_watermark, min(high_watermark, end_offset or own.end_offset)) == shown
            if end >= end_offset and fits and follows:
                return max(place, low), 1
        return (inside[-1][0], 1) if inside else (self._recording.place(entry), 0)
