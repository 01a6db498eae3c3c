"""Each fault and each lab command as data. Node names are resolved by the lab before it acts."""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

from cluster.faults.clients import ClientCommand
from cluster.faults.disks import DiskFull as DiskFull
from cluster.faults.disks import DiskOk as DiskOk
from cluster.faults.disks import Flush as Flush
from cluster.faults.disks import FsyncFail as FsyncFail
from cluster.faults.disks import FsyncLie as FsyncLie
from cluster.faults.disks import FsyncLieDir as FsyncLieDir
from cluster.faults.disks import FsyncOk as FsyncOk
from cluster.faults.disks import FsyncSlow as FsyncSlow
from cluster.faults.disks import Misread as Misread
from cluster.faults.members import MemberOrder as MemberOrder
from cluster.faults.members import Subscribe as Subscribe
from cluster.faults.names import NodeName as NodeName
from cluster.faults.simulated import (
    ClockOk as ClockOk,
)
from cluster.faults.simulated import (
    CrashPoint as CrashPoint,
)
from cluster.faults.simulated import (
    DriftClock as DriftClock,
)
from cluster.faults.simulated import (
    DuplicateMessages as DuplicateMessages,
)
from cluster.faults.simulated import (
    LoseMessages as LoseMessages,
)
from cluster.faults.simulated import (
    ReorderMessages as ReorderMessages,
)
from cluster.faults.simulated import SimulatedCommand
from cluster.faults.simulated import (
    SkewClock as SkewClock,
)
from cluster.faults.topics import Consume as Consume
from cluster.faults.topics import CreateTopic as CreateTopic
from cluster.faults.topics import DeleteRecords as DeleteRecords
from cluster.faults.topics import Elect as Elect
from cluster.faults.topics import Produce as Produce
from cluster.model.identifiers import TopicPartition

DURABLE: Final = "durable"
KEEPS = (DURABLE, "prefix", "writes", "sectors")
"""What power loss may leave of bytes that were not durable."""


class Kill(Struct, frozen=True):
    """SIGKILL: the process is gone at any instruction; what it wrote to files stays."""

    node: NodeName
    """Which node."""


class Stop(Struct, frozen=True):
    """A controlled shutdown: leaderships move away first, then the process ends in order."""

    node: NodeName
    """Which node."""


class Start(Struct, frozen=True):
    """Start a node that is down, on the files it left."""

    node: NodeName
    """Which node."""


class Restart(Struct, frozen=True):
    """Start a node that is down; kill one that runs and start it again."""

    node: NodeName
    """Which node."""


class Pause(Struct, frozen=True):
    """SIGSTOP: no instruction runs, the kernel still accepts bytes, clocks go on."""

    node: NodeName
    """Which node."""


class Resume(Struct, frozen=True):
    """SIGCONT: undo of Pause and of Stutter."""

    node: NodeName
    """Which node."""


class Stutter(Struct, frozen=True):
    """SIGSTOP and SIGCONT in turn: the process runs for a while and stands still for a while, over and over."""

    node: NodeName
    """Which node."""
    run_ms: int
    """How long it runs each time."""
    stop_ms: int
    """How long it stands still each time."""


class PowerLoss(Struct, frozen=True):
    """SIGKILL, then the node's files are as its disk has them: what was durable, and what else it may have."""

    nodes: tuple[NodeName, ...]
    """All at the same time."""
    keep: str = DURABLE
    """What else is left: durable (nothing else), prefix, writes, sectors. See cluster.storage.power_loss."""
    pick: int = 0
    """Which of the ways in which that can turn out."""


class Partition(Struct, frozen=True):
    """Cut the network both ways between groups; a node in no group keeps all its links."""

    groups: tuple[tuple[NodeName, ...], ...]
    """At least two; no node in two of them."""


class Cut(Struct, frozen=True):
    """Hold every frame from source to target."""

    source: NodeName
    """Sender."""
    target: NodeName
    """Receiver."""
    both_ways: bool
    """Whether the other direction is held as well."""


class CutLinks(Struct, frozen=True):
    """Hold every frame on several links, as one fault."""

    links: tuple[tuple[NodeName, NodeName], ...]
    """Sender and receiver of each; at least two, none twice."""


class Isolate(Struct, frozen=True):
    """Cut all links of one node to other nodes, both ways; clients still reach it."""

    node: NodeName
    """Which node."""


class Delay(Struct, frozen=True):
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


class SlowLink(Struct, frozen=True):
    """Frames share a limited rate."""

    source: NodeName
    """Sender."""
    target: NodeName
    """Receiver."""
    both_ways: bool
    """Whether the other direction is limited as well."""
    bytes_per_second: int
    """The rate."""


class Reset(Struct, frozen=True):
    """Break the connections between two nodes once; what is in flight is gone."""

    first: NodeName
    """One end."""
    second: NodeName
    """Other end."""


class Wipe(Struct, frozen=True):
    """Take away every file of a node that is down, as if its disk had been replaced."""

    node: NodeName
    """Whose disk."""


class Tear(Struct, frozen=True):
    """Cut the last batch of a log short, as a write that power loss interrupts; the node is down."""

    node: NodeName
    """Whose disk."""
    topic_partition: TopicPartition
    """Which log; METADATA for the quorum's."""


class Rot(Struct, frozen=True):
    """Flip a bit of a log; the node is down."""

    node: NodeName
    """Whose disk."""
    topic_partition: TopicPartition
    """Which log; METADATA for the quorum's."""
    offset: int
    """In the batch that holds this one."""


FAMILIES = ("links", "disks")
"""What can be healed by itself."""


class Heal(Struct, frozen=True):
    """Undo one fault, or all that can be undone."""

    fault_id: int | None = None
    """None for all, unless one is described."""
    described: Command | None = None
    """The newest in force that was injected with these words."""
    family: str = ""
    """links or disks: all faults of these and no other; empty for one fault, or for all of any family."""


class Undo(Struct, frozen=True):
    """Undo the newest fault in force."""


class Freeze(Struct, frozen=True):
    """Pause all nodes."""


class Thaw(Struct, frozen=True):
    """Undo of Freeze."""


class Status(Struct, frozen=True):
    """Say what runs and which faults are in force."""


Command: TypeAlias = (
    Kill
    | Stop
    | Start
    | Restart
    | Pause
    | Resume
    | Stutter
    | PowerLoss
    | Partition
    | Cut
    | CutLinks
    | Isolate
    | Delay
    | SlowLink
    | Reset
    | FsyncLie
    | FsyncLieDir
    | FsyncFail
    | FsyncSlow
    | FsyncOk
    | DiskFull
    | DiskOk
    | Flush
    | Misread
    | ClientCommand
    | Wipe
    | Tear
    | Rot
    | SimulatedCommand
    | Heal
    | Undo
    | CreateTopic
    | Produce
    | Consume
    | DeleteRecords
    | Subscribe
    | MemberOrder
    | Elect
    | Freeze
    | Thaw
    | Status
)
