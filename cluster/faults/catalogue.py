"""Each fault and each lab command as data. Node names are resolved by the lab before it acts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition


@dataclass(frozen=True, slots=True)
class NodeName:
    """A node by number, or by the part it plays at the moment the command runs."""

    node_id: NodeId = NO_NODE
    """The number; -1 when it is named by its part."""
    part: str = ""
    """Empty for a number; controller, leader or follower (the lowest follower in the ISR)."""
    topic_partition: TopicPartition | None = None
    """Of leader and follower."""

    def __str__(self) -> str:
        if not self.part:
            return str(self.node_id)
        return self.part if self.topic_partition is None else f"{self.part}({self.topic_partition})"


@dataclass(frozen=True, slots=True)
class Kill:
    """SIGKILL: the process is gone at any instruction; what it wrote to files stays."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Stop:
    """A controlled shutdown: leaderships move away first, then the process ends in order."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Start:
    """Start a node that is down, on the files it left."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Restart:
    """Start a node that is down; kill one that runs and start it again."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Pause:
    """SIGSTOP: no instruction runs, the kernel still accepts bytes, clocks go on."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Resume:
    """SIGCONT: undo of Pause."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class PowerLoss:
    """SIGKILL, then every byte that was not durable is cut from the node's files."""

    nodes: tuple[NodeName, ...]
    """All at the same time."""


@dataclass(frozen=True, slots=True)
class Partition:
    """Cut the network both ways between groups; a node in no group keeps all its links."""

    groups: tuple[tuple[NodeName, ...], ...]
    """At least two; no node in two of them."""


@dataclass(frozen=True, slots=True)
class Cut:
    """Hold every frame from source to target."""

    source: NodeName
    """Sender."""
    target: NodeName
    """Receiver."""
    both_ways: bool
    """Whether the other direction is held as well."""


@dataclass(frozen=True, slots=True)
class CutLinks:
    """Hold every frame on several links, as one fault."""

    links: tuple[tuple[NodeName, NodeName], ...]
    """Sender and receiver of each; at least two, none twice."""


@dataclass(frozen=True, slots=True)
class Isolate:
    """Cut all links of one node, both ways."""

    node: NodeName
    """Which node."""


@dataclass(frozen=True, slots=True)
class Delay:
    """Each frame leaves later, order kept."""

    source: NodeName
    """Sender."""
    target: NodeName
    """Receiver."""
    both_ways: bool
    """Whether the other direction is delayed as well."""
    delay_ms: int
    """Least extra time."""
    jitter_ms: int = 0
    """Largest further extra time (exclusive)."""


@dataclass(frozen=True, slots=True)
class SlowLink:
    """Frames share a limited rate."""

    source: NodeName
    """Sender."""
    target: NodeName
    """Receiver."""
    both_ways: bool
    """Whether the other direction is limited as well."""
    bytes_per_second: int
    """The rate."""


@dataclass(frozen=True, slots=True)
class Reset:
    """Break the connections between two nodes once; what is in flight is gone."""

    first: NodeName
    """One end."""
    second: NodeName
    """Other end."""


@dataclass(frozen=True, slots=True)
class FsyncLie:
    """fsync says yes and makes nothing durable."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class FsyncSlow:
    """fsync takes longer."""

    node: NodeName
    """Whose disk."""
    delay_ms: int
    """Extra time for each."""


@dataclass(frozen=True, slots=True)
class FsyncOk:
    """fsync is honest and quick again; earlier lies stay lies."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class DiskFull:
    """Writes past a budget fail after a short write."""

    node: NodeName
    """Whose disk."""
    budget_bytes: int = 0
    """What may still be written."""


@dataclass(frozen=True, slots=True)
class DiskOk:
    """The disk has room again; a node that stopped for it has to be started."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class Wipe:
    """Take away every file of a node that is down, as if its disk had been replaced."""

    node: NodeName
    """Whose disk."""


@dataclass(frozen=True, slots=True)
class Tear:
    """Cut the last batch of a log short, as a write that power loss interrupts; the node is down."""

    node: NodeName
    """Whose disk."""
    topic_partition: TopicPartition
    """Which log; METADATA for the quorum's."""


@dataclass(frozen=True, slots=True)
class Rot:
    """Flip a bit of a log; the node is down."""

    node: NodeName
    """Whose disk."""
    topic_partition: TopicPartition
    """Which log; METADATA for the quorum's."""
    offset: int
    """In the batch that holds this one."""


@dataclass(frozen=True, slots=True)
class Heal:
    """Undo one fault, or all that can be undone."""

    fault_id: int | None = None
    """None for all."""


@dataclass(frozen=True, slots=True)
class Undo:
    """Undo the newest fault in force."""


@dataclass(frozen=True, slots=True)
class CreateTopic:
    """Ask the controller for a topic."""

    topic: str
    """Its name."""
    partitions: int = 1
    """How many."""
    replicas: int = 3
    """Copies of each."""
    min_isr: int = 1
    """min.insync.replicas."""
    assign: tuple[NodeId, ...] = ()
    """Brokers of every partition in order, the first is preferred; empty lets the controller place them."""


@dataclass(frozen=True, slots=True)
class Produce:
    """Write records through a built-in client."""

    topic_partition: TopicPartition
    """Where to."""
    count: int
    """How many records."""
    acks: int = -1
    """-1 all, 1 leader only, 0 none."""
    value: str = "value"
    """Text that each record begins with."""
    batch: int = 1
    """Records in one request."""
    in_flight: int = 1
    """Requests on their way at a time."""
    wait: bool = True
    """Whether the command is done only when the last answer is there."""
    retries: bool = True
    """Whether the client tries again after an error that may pass."""


@dataclass(frozen=True, slots=True)
class Consume:
    """Read records through a built-in client, up to the high watermark."""

    topic_partition: TopicPartition
    """Where from."""
    offset: int = 0
    """First offset."""


@dataclass(frozen=True, slots=True)
class Elect:
    """Ask the controller for an election of one partition's leader."""

    topic_partition: TopicPartition
    """Which partition."""
    unclean: bool = False
    """False elects the preferred leader; true takes any live replica and may lose records."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """Pause all nodes."""


@dataclass(frozen=True, slots=True)
class Thaw:
    """Undo of Freeze."""


@dataclass(frozen=True, slots=True)
class Status:
    """Say what runs and which faults are in force."""


Command: TypeAlias = (
    Kill
    | Stop
    | Start
    | Restart
    | Pause
    | Resume
    | PowerLoss
    | Partition
    | Cut
    | CutLinks
    | Isolate
    | Delay
    | SlowLink
    | Reset
    | FsyncLie
    | FsyncSlow
    | FsyncOk
    | DiskFull
    | DiskOk
    | Wipe
    | Tear
    | Rot
    | Heal
    | Undo
    | CreateTopic
    | Produce
    | Consume
    | Elect
    | Freeze
    | Thaw
    | Status
)
