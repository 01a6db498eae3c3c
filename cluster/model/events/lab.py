"""Events of the lab: run, processes, faults, links."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import NodeId
from cluster.model.positional import Positional


class RunStarted(Positional, kw_only=True):
    """The lab began a run."""

    name: ClassVar[str] = "run.started"
    config: str
    """Settings as one JSON object."""
    world: str
    """processes or simulated."""
    title: str
    """What is being run."""
    latency_us_max: int = 0
    """Longest way of a frame through the simulated network; 0 for processes and in older traces."""


class RunEnded(Positional, kw_only=True):
    """The lab said the end of a run."""

    name: ClassVar[str] = "run.ended"
    clean: bool
    """False when a node that was asked to leave had to be killed, or when `why` says something."""
    why: str = ""
    """Why the run could not go on, or that its owner was gone; empty when somebody ended it."""


class RunResumed(Positional, kw_only=True):
    """A run that was over goes on: a new lab starts its nodes on the files they left.

    The run's clock stood still meanwhile, so that no time passed for it but a moment that marks the gap.
    """

    name: ClassVar[str] = "run.resumed"
    away_ms: int
    """Wall time since the newest event before."""
    was_ended: bool
    """Whether the lab before said the end of the run; false when it died without a word."""


class ProcessStarted(Positional, kw_only=True):
    """The lab started a node process."""

    name: ClassVar[str] = "proc.started"
    node_id: NodeId
    roles: tuple[str, ...]
    """controller, broker or both."""
    incarnation_number: int
    """0 for the first start."""
    pid: int
    """Operating system process id; 0 in simulation."""


class PortTaken(Positional, kw_only=True):
    """A node cannot start yet: another program listens on its port. The lab tries again for a while."""

    name: ClassVar[str] = "proc.port_taken"
    node_id: NodeId
    port: int
    holder: str
    """The other program, as far as the system tells; empty when it does not."""


class ProcessReady(Positional, kw_only=True):
    """The node recovered its logs and listens."""

    name: ClassVar[str] = "proc.ready"
    node_id: NodeId
    port: int


class ProcessExited(Positional, kw_only=True):
    """A node process is gone and reaped."""

    name: ClassVar[str] = "proc.exited"
    node_id: NodeId
    incarnation_number: int
    exit_code: int
    """Negative for a signal."""
    expected: bool
    """Whether a command asked for it."""


class FaultInjected(Positional, kw_only=True):
    """A fault was asked for."""

    name: ClassVar[str] = "fault.injected"
    fault_id: int
    """Unique in the run."""
    kind: str
    """Class name of the fault."""
    arguments: str
    """As in the command grammar."""
    command: str
    """The whole command as typed."""
    family: str = ""
    """process, disk, link, message, client or clock; empty in older traces, which name no nodes and no links either."""
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction that it is about, those of clients left out."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Every other field of the command, by its name."""


class FaultApplied(Positional, kw_only=True):
    """The fault is in force."""

    name: ClassVar[str] = "fault.applied"
    fault_id: int
    kind: str
    arguments: str
    """As in the command grammar."""
    family: str = ""
    """process, disk, link, message, client or clock; empty in older traces, which name no nodes and no links either."""
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction that it is about, those of clients left out."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Every other field of the command, by its name."""


class FaultReverted(Positional, kw_only=True):
    """The fault is no longer in force."""

    name: ClassVar[str] = "fault.reverted"
    fault_id: int
    kind: str
    arguments: str
    """As in the command grammar."""
    family: str = ""
    """process, disk, link, message, client or clock; empty in older traces, which name no nodes and no links either."""
    nodes: tuple[NodeId, ...] = ()
    """Whose process, disk, clock or clients it is about."""
    links: tuple[tuple[NodeId, NodeId], ...] = ()
    """Sender and receiver of each direction that it is about, those of clients left out."""
    parameters: tuple[tuple[str, str], ...] = ()
    """Every other field of the command, by its name."""


class CommandRejected(Positional, kw_only=True):
    """A command could not be carried out."""

    name: ClassVar[str] = "command.rejected"
    command: str
    why: str


class PowerLost(Positional, kw_only=True):
    """A node lost power: its files were cut back to what was durable."""

    name: ClassVar[str] = "power.lost"
    node_id: NodeId
    files: tuple[tuple[str, int, int, int, int], ...]
    """(path, written, claimed durable, durable, kept) bytes."""


class FramesHeld(Positional, kw_only=True):
    """Frames began to be held on a cut link."""

    name: ClassVar[str] = "net.held"
    source: NodeId
    target: NodeId
    message: str
    """Kind of the frame."""


class FramesReleased(Positional, kw_only=True):
    """Held frames were delivered late."""

    name: ClassVar[str] = "net.released"
    source: NodeId
    target: NodeId
    count: int


DROP, HOLD, PASS, DELAY = "drop", "hold", "pass", "delay"
"""What becomes of a message that is plucked: it is gone, waits until its fault is healed, passes whatever link fault is
in force, or goes on later, perhaps behind those that were behind it."""


class MessagePlucked(Positional, kw_only=True):
    """A fault took one message out of its stream: it is gone, waits, is late, or passes where no other does.

    Told by its sender when it would have left, or by its receiver when it arrived.
    """

    name: ClassVar[str] = "net.plucked"
    fault_id: int
    source: NodeId
    target: NodeId
    message: str
    """Kind of the message: VoteRequest, VoteResponse, ..."""
    fate: str
    """drop, hold, pass or delay."""
    correlation: int
    """Chosen by the requester, repeated in the answer."""
    topic: str = ""
    """Of the partition it is about, __cluster_metadata for the quorum; empty for none."""
    partition: int = -1
    numbers: tuple[tuple[str, int], ...] = ()
    """What labels it, by name: epoch, offset, granted, error, ..."""


class LinkReset(Positional, kw_only=True):
    """A connection was reset; what was in flight is gone."""

    name: ClassVar[str] = "net.reset"
    source: NodeId
    target: NodeId
    held_count: int


class LinkConnected(Positional, kw_only=True):
    """A connection is up."""

    name: ClassVar[str] = "net.connected"
    source: NodeId
    target: NodeId


LabEvent: TypeAlias = (
    RunStarted
    | RunEnded
    | RunResumed
    | ProcessStarted
    | PortTaken
    | ProcessReady
    | ProcessExited
    | FaultInjected
    | FaultApplied
    | FaultReverted
    | CommandRejected
    | PowerLost
    | FramesHeld
    | FramesReleased
    | MessagePlucked
    | LinkReset
    | LinkConnected
)
