"""What a script gives a cluster before it starts: logs, votes and topics on disk, and an unkind network.

`given log orders-0 on 1,2 = e0:0-1 e3:2` lays down the records 0 and 1 of leader epoch 0 and record 2 of epoch 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from cluster.cluster_spec import ClusterSpec, Options
from cluster.faults.fault import ClockFault, DiskFault, LinkFault
from cluster.faults.grammar import parse_command
from cluster.faults.processes import CrashPoint
from cluster.language.command import resolve
from cluster.language.words import CommandError, NodeName, pairs, topic_name, topic_partition
from cluster.language.words import number as number_in
from cluster.model.identifiers import METADATA, NO_NODE, Epoch, NodeId, Offset, TopicPartition
from cluster.scenario.terms import GrammarError

FORMS = (
    "given log LOG on N[,M] = eEPOCH:FIRST-LAST ..., given high_watermark LOG on N[,M] = OFFSET, "
    "given election on N = epoch E [voted N] [leader N], given leader N, "
    "given topic NAME replicas=1,2 [isr=1,2] [leader_epoch=0] [min-isr=1], "
    "given fault COMMAND, given network [loss=1%] [duplicate=1%] [reorder=1%] [latency=1ms-20ms]"
)
AT_START = (LinkFault, DiskFault, ClockFault, CrashPoint)
"""Faults that need no node that runs."""
EPOCH_MAX, OFFSET_MAX = 1000, 10_000
_RUN = re.compile(r"e([0-9]{1,4}):([0-9]{1,6})(?:-([0-9]{1,6}))?")
_LATENCY = re.compile(r"([0-9]{1,6})(us|ms)-([0-9]{1,6})(us|ms)")
_SHARE = re.compile(r"([0-9]{1,2})%")


@dataclass(frozen=True, slots=True)
class EpochRun:
    """Consecutive records of one leader epoch, one batch each."""

    epoch: Epoch
    """Of all of them."""
    first: Offset
    """Inclusive."""
    last: Offset
    """Inclusive."""


@dataclass(frozen=True, slots=True)
class GivenLog:
    """A log that some nodes hold when they start for the first time, all of it durable."""

    topic_partition: TopicPartition
    """METADATA for the quorum's log."""
    nodes: tuple[NodeId, ...]
    runs: tuple[EpochRun, ...]
    """From offset 0, without gaps, epochs rising."""

    @property
    def end_offset(self) -> Offset:
        """Exclusive."""
        return self.runs[-1].last + 1


@dataclass(frozen=True, slots=True)
class GivenHighWatermark:
    """A checkpointed high watermark."""

    topic_partition: TopicPartition
    """Of a data partition."""
    nodes: tuple[NodeId, ...]
    offset: Offset
    """Exclusive."""


@dataclass(frozen=True, slots=True)
class GivenElection:
    """A voter's quorum-state."""

    nodes: tuple[NodeId, ...]
    epoch: Epoch
    voted_for: NodeId = NO_NODE
    """-1 none."""
    leader_id: NodeId = NO_NODE
    """-1 unknown."""


@dataclass(frozen=True, slots=True)
class GivenLeader:
    """The voter that the quorum is about to elect: every voter's quorum-state says that it has its vote."""

    node: NodeId
    """It asks for these votes as soon as it runs."""


@dataclass(frozen=True, slots=True)
class GivenTopic:
    """A topic of one partition that the metadata log of every controller knows; it has no leader yet.

    The first replica in the ISR that comes into service is elected, in leader_epoch + 1.
    """

    topic: str
    replicas: tuple[NodeId, ...]
    """In assignment order."""
    isr: tuple[NodeId, ...]
    """Who may be elected."""
    leader_epoch: Epoch
    """Of the last leader."""
    min_isr: int
    """min.insync.replicas."""


@dataclass(frozen=True, slots=True)
class GivenFault:
    """A fault that is in force before any node runs."""

    command: str
    """As written; its nodes are numbers."""


@dataclass(frozen=True, slots=True)
class GivenNetwork:
    """Shares of frames, in percent: no connection does that, only a simulation can."""

    loss: int = 0
    duplicate: int = 0
    reorder: int = 0
    latency_us: tuple[int, int] | None = None
    """One way of a frame: least (inclusive) and largest (exclusive); None for that of loopback."""

    @property
    def options(self) -> Options:
        """The same for a simulation."""
        shares = {name: getattr(self, name) / 100 for name in ("loss", "duplicate", "reorder")}
        return Options(**shares, latency_us=self.latency_us or Options().latency_us)


Given: TypeAlias = GivenLog | GivenHighWatermark | GivenElection | GivenLeader | GivenTopic | GivenFault | GivenNetwork
ONLY_SIMULATED: dict[type[Given], str] = {
    GivenLeader: "which of several processes comes up first is for the machine to say",
    GivenFault: "a process hears of faults once it listens",
    GivenNetwork: "no connection of one machine loses, doubles or overtakes frames",
}
"""What real processes cannot be given, and why."""


def parse_given(words: list[str]) -> Given:
    """The words after `given`."""
    match words:
        case ["log", log, "on", nodes, "=", *runs] if runs:
            return GivenLog(_log(log), _nodes(nodes, "log: nodes"), _runs(runs))
        case ["high_watermark", log, "on", nodes, "=", offset]:
            where = "high_watermark: nodes"
            return GivenHighWatermark(_log(log), _nodes(nodes, where), number_in(offset, where, 0, OFFSET_MAX))
        case ["election", "on", nodes, "=", "epoch", epoch, *rest]:
            return _election(nodes, epoch, rest)
        case ["leader", node]:
            return GivenLeader(number_in(node, "leader", 1, 999))
        case ["topic", name, *rest]:
            return _topic(name, rest)
        case ["fault", *rest] if rest:
            return _fault(" ".join(rest))
        case ["network", *rest] if rest:
            given = pairs(rest, "network", ("loss", "duplicate", "reorder", "latency"))
            latency = given.pop("latency", None)
            shares = {key: _share(key, word) for key, word in given.items()}
            return GivenNetwork(**shares, latency_us=None if latency is None else _range_us(latency))
        case _:
            raise GrammarError(f"the forms are: {FORMS}")


def given_to(spec: ClusterSpec) -> tuple[Given, ...]:
    """What a cluster is given. CommandError or GrammarError for what is none."""
    return tuple(parse_given(line.split()) for line in spec.given)


def network_in(given: Iterable[Given]) -> GivenNetwork | None:
    """How unkind the network is to be; None when nothing is said of it."""
    return next((one for one in given if isinstance(one, GivenNetwork)), None)


def nodes_of(given: Given) -> tuple[NodeId, ...]:
    """The nodes it speaks of."""
    if isinstance(given, GivenFault | GivenNetwork):
        return ()
    if isinstance(given, GivenLeader):
        return (given.node,)
    return given.replicas if isinstance(given, GivenTopic) else given.nodes


def quorum_log_end(given: tuple[Given, ...], voter: NodeId) -> tuple[Epoch, Offset]:
    """Last epoch and end offset (exclusive) of the quorum's log that a voter is given."""
    logs = [g for g in given if isinstance(g, GivenLog) and g.topic_partition == METADATA and voter in g.nodes]
    if logs:
        return logs[-1].runs[-1].epoch, logs[-1].end_offset
    topics = sum(isinstance(g, GivenTopic) for g in given)
    return (1, 1 + 2 * topics) if topics else (0, 0)


def _log(word: str) -> TopicPartition:
    return METADATA if word == "metadata" else topic_partition(word, "given")


def _nodes(word: str, where: str) -> tuple[NodeId, ...]:
    nodes = tuple(number_in(part, where, 1, 999) for part in word.split(","))
    if len(set(nodes)) != len(nodes):
        raise CommandError("a node is named twice", where, word)
    return nodes


def _runs(words: list[str]) -> tuple[EpochRun, ...]:
    runs: list[EpochRun] = []
    for word in words:
        parts = _RUN.fullmatch(word)
        if parts is None:
            raise CommandError("not records of one epoch", "log", word, "eEPOCH:FIRST-LAST, for example e0:0-2")
        epoch, first = int(parts[1]), int(parts[2])
        run = EpochRun(epoch, first, int(parts[3]) if parts[3] else first)
        end, before = (runs[-1].last + 1, runs[-1].epoch) if runs else (0, -1)
        if run.first != end or not run.first <= run.last <= OFFSET_MAX or not before < epoch <= EPOCH_MAX:
            hint = f"records go on at offset {end} in an epoch above {before}"
            raise CommandError("does not follow", "log", word, hint=hint)
        runs.append(run)
    return tuple(runs)


def _election(nodes: str, epoch: str, rest: list[str]) -> GivenElection:
    named = {"voted": NO_NODE, "leader": NO_NODE}
    if len(rest) % 2:
        raise GrammarError(f"the forms are: {FORMS}")
    for key, word in zip(rest[::2], rest[1::2], strict=True):
        if key not in named:
            raise GrammarError(f"the forms are: {FORMS}")
        named[key] = number_in(word, f"election: {key}", 1, 999)
    number = number_in(epoch, "election: epoch", 0, EPOCH_MAX)
    return GivenElection(_nodes(nodes, "election: nodes"), number, named["voted"], named["leader"])


def _topic(name: str, rest: list[str]) -> GivenTopic:
    given = pairs(rest, "topic", ("replicas", "isr", "leader_epoch", "min-isr"))
    if "replicas" not in given:
        raise CommandError("replicas are missing", "topic", name, "replicas=1,2")
    replicas = _nodes(given["replicas"], "topic: replicas")
    isr = _nodes(given["isr"], "topic: isr") if "isr" in given else replicas
    if not set(isr) <= set(replicas):
        raise CommandError("not among the replicas", "topic: isr", given["isr"])
    leader_epoch = number_in(given.get("leader_epoch", "0"), "topic: leader_epoch", 0, EPOCH_MAX)
    min_isr = number_in(given.get("min-isr", "1"), "topic: min-isr", 1, len(replicas))
    return GivenTopic(topic_name(name, "topic: name"), replicas, isr, leader_epoch, min_isr)


def _fault(text: str) -> GivenFault:
    command = parse_command(text)
    if not isinstance(command, AT_START):
        allowed = "one of links, disks and clocks, or crash N after vote"
        raise CommandError("no fault that a cluster can begin with", "fault", text, allowed)

    def refuse(name: NodeName) -> NodeId:
        raise CommandError("nobody plays a part yet", "fault: node", str(name), "a node number")

    resolve(command, refuse)
    return GivenFault(text)


def _share(key: str, word: str) -> int:
    share = _SHARE.fullmatch(word)
    if share is None:
        raise CommandError("not a share", f"network: {key}", word, "0% to 99%")
    return int(share[1])


def _range_us(word: str) -> tuple[int, int]:
    parts = _LATENCY.fullmatch(word)
    units = {"us": 1, "ms": 1000}
    if parts is not None:
        least, most = int(parts[1]) * units[parts[2]], int(parts[3]) * units[parts[4]]
        if 1 <= least < most <= 1_000_000:
            return least, most
    raise CommandError("not a range", "network: latency", word, "1us to 1000ms, for example 200us-5ms")
