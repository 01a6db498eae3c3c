"""Parts of the folded view: nodes, log lanes, partitions, vote rounds. Each has a cheap copy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from cluster.model.identifiers import NO_NODE, Epoch, NodeId, Offset, TopicPartition

NOT_WRITTEN = -1
"""End offset of a decision that is not in the metadata log yet."""


@dataclass(slots=True)
class NodeView:
    """One node as the events tell it."""

    node_id: NodeId
    roles: tuple[str, ...] = ()
    process: str = "unknown"
    """starting, up, paused, down, unknown."""
    since_ns: int = 0
    """When process last changed."""
    role: str = ""
    """Quorum role, empty when not told."""
    epoch: int = 0
    leader_id: NodeId = NO_NODE
    voted_for: NodeId = NO_NODE
    broker_state: str = ""
    broker_epoch: int = -1
    fenced: bool | None = None
    disk: str = "ok"
    """ok, LIES, FAILS, slow, FULL."""
    stops_percent: int = 0
    """Share of the time that a stutter has its process stand still; 0 without one."""
    pid: int = 0
    exit_code: int = 0
    wanted_port: int = 0
    """Port that another program has while the node is to start; 0 when nothing is waited for."""
    power_lost: bool = False
    """True from the power loss until the next start."""

    @property
    def is_up(self) -> bool:
        """Whether the process runs (a paused one does not)."""
        return self.process == "up"

    def copy(self) -> NodeView:
        """An independent copy."""
        return replace(self)


@dataclass(slots=True)
class LogLane:
    """One replica's log as the screen draws it. Offsets are inclusive starts and exclusive ends."""

    runs: list[tuple[int, int]] = field(default_factory=list)
    """(first offset, epoch) of each stretch, ascending."""
    begun: tuple[int, int] | None = None
    """(leader epoch, first offset) that its broker leads in, before it has written anything; None for a follower."""
    log_start_offset: int = 0
    """What is before it is deleted."""
    log_end_offset: int = 0
    high_watermark: int = -1
    durable_offset: int = 0
    claimed_offset: int = 0
    ghosts: list[tuple[int, int]] = field(default_factory=list)
    """(offset, epoch) of cells that a truncation or power loss removed, newest cut only."""
    cut_from: int = -1
    """Log end before the newest cut; -1 when never cut."""
    cut_to: int = -1
    """Log end after the newest cut; -1 when never cut."""
    cut_high_watermark: int = -1
    """High watermark before the newest cut."""
    cut_ns: int = 0

    def epoch_at(self, offset: int) -> int:
        """Epoch of the record at offset; 0 when unknown."""
        found = 0
        for start, epoch in self.runs:
            if start > offset:
                break
            found = epoch
        return found

    def holds(self, offset: int, epoch: int) -> bool:
        """Whether the record of that offset and epoch is there."""
        return self.log_start_offset <= offset < self.log_end_offset and self.epoch_at(offset) == epoch

    def delete(self, start: int) -> None:
        """Nothing is left before start; a log that ends before it begins anew there."""
        held = self.epoch_at(start) if start < self.log_end_offset else None
        self.runs = [run for run in self.runs if run[0] > start]
        if held is not None and (not self.runs or self.runs[0][1] != held):
            self.runs.insert(0, (start, held))
        self.log_start_offset = start
        self.log_end_offset = max(self.log_end_offset, start)

    def append(self, base: int, end: int, epochs: Sequence[tuple[int, int]]) -> None:
        """Add records [base, end); epochs are (epoch, first offset). Replaces what lay there."""
        if base < self.log_end_offset:
            self._drop(base)
        for epoch, start in epochs:
            if not self.runs or self.runs[-1][1] != epoch:
                self.runs.append((start, epoch))
        self.log_end_offset = end
        if self.ghosts and self.ghosts[0][0] < end:
            self.ghosts = [ghost for ghost in self.ghosts if ghost[0] >= end]

    def cut(self, end: int, high_watermark: int, t_ns: int) -> None:
        """Remove [end, log end): at most 200 removed cells stay as ghosts. The high watermark falls with the end."""
        if end >= self.log_end_offset:
            return
        self.ghosts = [(offset, self.epoch_at(offset)) for offset in range(end, min(self.log_end_offset, end + 200))]
        self.cut_from, self.cut_to = self.log_end_offset, end
        self.cut_high_watermark, self.cut_ns = high_watermark, t_ns
        self._drop(end)
        self.log_start_offset = min(self.log_start_offset, end)
        self.high_watermark = min(self.high_watermark, end)
        self.durable_offset = min(self.durable_offset, end)
        self.claimed_offset = min(self.claimed_offset, end)

    def _drop(self, end: int) -> None:
        self.runs = [run for run in self.runs if run[0] < end]
        self.log_end_offset = end

    def copy(self) -> LogLane:
        """An independent copy."""
        return replace(self, runs=list(self.runs), ghosts=list(self.ghosts))


class Lag(NamedTuple):
    """A follower that its leader finds behind."""

    caught_up_ns: int
    """When it was caught up last, as the leader said when it found it behind."""
    limit_ms: int
    """replica.lag.time.max.ms."""

    def left_ms(self, t_ns: int) -> int:
        """Until it was behind for longer than allowed; from 0 on it is out when the leader looks next,
        unless it has caught up in part: the leader tells of that when it looks."""
        return max(0, self.limit_ms - max(0, t_ns - self.caught_up_ns) // 1_000_000)


class IsrTold(NamedTuple):
    """The newest change of an ISR."""

    t_ns: int
    text: str
    """Who came and who went, and why."""


@dataclass(slots=True)
class PartitionView:
    """Committed state of one partition, plus who lags."""

    topic_partition: TopicPartition
    leader: NodeId = NO_NODE
    leader_epoch: int = -1
    partition_epoch: int = -1
    isr: tuple[NodeId, ...] = ()
    elr: tuple[NodeId, ...] = ()
    replicas: tuple[NodeId, ...] = ()
    min_insync_replicas: int = 1
    lagging: tuple[NodeId, ...] = ()
    lags: dict[NodeId, Lag] = field(default_factory=dict)
    """Of those that lag, where the leader said since when."""
    wanted: tuple[tuple[NodeId, ...], str] = ((), "")
    """The ISR that is asked for or decided, and why."""
    told: IsrTold | None = None

    def copy(self) -> PartitionView:
        """An independent copy."""
        return replace(self, lags=dict(self.lags))


@dataclass(slots=True)
class VoteRound:
    """One candidate's round."""

    epoch: int
    candidate_id: NodeId
    pre_vote: bool
    needed: int
    voters: tuple[NodeId, ...]
    answers: dict[NodeId, bool] = field(default_factory=dict)
    """Voter -> granted, as far as known."""
    won: bool = False

    @property
    def granted_count(self) -> int:
        """Yes so far, itself included."""
        return sum(self.answers.values())

    def copy(self) -> VoteRound:
        """An independent copy."""
        return replace(self, answers=dict(self.answers))


class SequenceRow(NamedTuple):
    """One line of the vote sequence chart."""

    t_ns: int
    source: NodeId
    target: NodeId
    """Same as source for something a node does alone."""
    text: str
    tone: str
    """good, bad, warn, info."""


class FaultView(NamedTuple):
    """A fault in force."""

    fault_id: int
    kind: str
    arguments: str
    t_ns: int
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Directions between nodes that it cuts, delays or slows down; empty for any other fault."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Fields of the command that name no node."""

    def number(self, name: str) -> int:
        """A parameter; 0 when the fault has none of that name, or no number there."""
        text = dict(self.parameters).get(name, "")
        return int(text) if text.isdecimal() and len(text) < 13 else 0

    @property
    def is_cut(self) -> bool:
        """Whether no frame passes on its links."""
        return bool(self.links) and not self.number("delay_ms") and not self.number("bytes_per_second")


class LinkView(NamedTuple):
    """What the faults in force do to one directed link."""

    is_cut: bool = False
    delay_ms: int = 0
    bytes_per_second: int = 0
    """0 without a limit."""

    @property
    def text(self) -> str:
        """cut, +200ms, 64KiB/s, or several."""
        if self.is_cut:
            return "cut"
        size, unit = (self.bytes_per_second, "B")
        if size >= 1024 and size % 1024 == 0:
            size, unit = size // 1024, "KiB"
        parts = (f"+{self.delay_ms}ms" if self.delay_ms else "", f"{size}{unit}/s" if size else "")
        return " ".join(part for part in parts if part)


class FenceDecision(NamedTuple):
    """A change of one broker's state that is not committed yet."""

    controller: NodeId
    epoch: Epoch
    """The quorum epoch that it was decided in."""
    broker: NodeId
    before: bool | None
    """What the broker was."""
    end_offset: Offset = NOT_WRITTEN
    """One past its record in the metadata log, once it is written."""
