"""Events of ZooKeeper's era: the coordinator's sessions, znodes and watches; the race for the controller; pushes."""

from __future__ import annotations

from typing import ClassVar, TypeAlias

from cluster.model.identifiers import Epoch, NodeId
from cluster.model.positional import Positional


class ZooKeeperStarted(Positional, kw_only=True):
    """The coordinator that stands for a ZooKeeper ensemble has read its log."""

    name: ClassVar[str] = "zk.started"
    zxid: int
    """Of its newest transaction; 0 for none."""
    znodes: int
    sessions: int
    ephemerals: tuple[str, ...] = ()
    """Paths of znodes that go with sessions."""


class SessionOpened(Positional, kw_only=True):
    """The coordinator opened a session."""

    name: ClassVar[str] = "zk.session_opened"
    session_id: int
    """The number of the transaction that opened it."""
    client: NodeId
    timeout_ms: int


class SessionEnded(Positional, kw_only=True):
    """A session is over; its ephemeral znodes go in the same transaction."""

    name: ClassVar[str] = "zk.session_ended"
    session_id: int
    client: NodeId
    why: str
    """expired or closed."""
    ephemerals: tuple[str, ...]
    """Paths that go with it."""
    zxid: int = 0
    """Number of the transaction."""


class ZNodeWritten(Positional, kw_only=True):
    """A znode was created, changed or deleted; told once it is on disk."""

    name: ClassVar[str] = "zk.znode_written"
    kind: str
    """created, changed or deleted."""
    path: str
    version: int
    """After the change; the last one when it is deleted."""
    zxid: int
    """Number of the transaction; all that one request does has the same."""
    owner: int = 0
    """Session of an ephemeral znode."""
    client: NodeId
    """Who asked for it; -1 when a session ended."""
    data: str = ""
    """What it holds now, untrusted text; empty when it is deleted."""


class ZNodeRefused(Positional, kw_only=True):
    """The coordinator refused to change a znode."""

    name: ClassVar[str] = "zk.refused"
    kind: str
    """create, delete, set or check."""
    path: str
    error: int
    """A ZooKeeperCode; 0 for none."""
    client: NodeId


class WatchSet(Positional, kw_only=True):
    """A session reads a znode and will be told once of its next change."""

    name: ClassVar[str] = "zk.watch_set"
    path: str
    of_children: bool
    session_id: int
    client: NodeId


class WatchFired(Positional, kw_only=True):
    """A watch saw a change and is gone."""

    name: ClassVar[str] = "zk.watch_fired"
    path: str
    of_children: bool
    kind: str
    """created, deleted, changed or children."""
    session_id: int
    client: NodeId


class SessionSeen(Positional, kw_only=True):
    """A broker learned how its own session is."""

    name: ClassVar[str] = "kc.session"
    state: str
    """open, silent or expired."""
    session_id: int


class ControllerRaceWon(Positional, kw_only=True):
    """A broker created /controller and counted the controller epoch; it has still to read what it will control."""

    name: ClassVar[str] = "kc.race_won"
    controller_epoch: Epoch
    version: int
    """Of the znode /controller_epoch after that."""


class ControllerRaceLost(Positional, kw_only=True):
    """A broker found /controller taken; it waits until the znode is gone."""

    name: ClassVar[str] = "kc.race_lost"
    controller_id: NodeId
    """Who has it."""


class ControllerTookOver(Positional, kw_only=True):
    """The new controller has read all, and has told all brokers."""

    name: ClassVar[str] = "kc.took_over"
    controller_epoch: Epoch
    partitions: int
    brokers: tuple[NodeId, ...]
    """Alive when it had decided."""
    read_ms: int
    """From the race to the last znode that was read."""
    total_ms: int
    """From the race to the last decision that was written."""


class StateWriteRefused(Positional, kw_only=True):
    """Somebody's write of a partition's state znode failed."""

    name: ClassVar[str] = "kc.state_write_refused"
    topic: str
    partition: int
    version: int
    """That it expected the znode to have."""
    error: int
    """A ZooKeeperCode; 0 for none."""
    controller_epoch: Epoch = -1
    """Of a controller; -1 for a partition's leader."""


class PushSent(Positional, kw_only=True):
    """The controller tells one broker; the next push to it waits for the answer."""

    name: ClassVar[str] = "kc.push_sent"
    kind: str
    """LeaderAndIsr, UpdateMetadata or StopReplica."""
    broker_id: NodeId
    controller_epoch: Epoch
    partitions: int
    again: bool
    """Whether an earlier try got no answer."""


class PushObeyed(Positional, kw_only=True):
    """A broker took what a controller told it."""

    name: ClassVar[str] = "kc.push_obeyed"
    kind: str
    """LeaderAndIsr, UpdateMetadata or StopReplica."""
    controller_id: NodeId
    controller_epoch: Epoch
    partitions: int


class PushRefused(Positional, kw_only=True):
    """A broker refused what a controller told it."""

    name: ClassVar[str] = "kc.push_refused"
    kind: str
    """LeaderAndIsr, UpdateMetadata or StopReplica."""
    controller_id: NodeId
    controller_epoch: Epoch
    error: int
    """An ErrorCode; 0 for none."""


class BrokersFound(Positional, kw_only=True):
    """A controller read /brokers/ids and compared it with what it knew."""

    name: ClassVar[str] = "kc.brokers_found"
    new: tuple[NodeId, ...]
    dead: tuple[NodeId, ...]
    bounced: tuple[NodeId, ...]
    """Another process of the same id since the last look (KIP-380)."""
    controller_epoch: Epoch


class IsrChangesTold(Positional, kw_only=True):
    """A broker noted in ZooKeeper of which partitions it has written the ISR."""

    name: ClassVar[str] = "kc.isr_changes_told"
    partitions: tuple[str, ...]
    path: str
    """Of the sequential znode."""


ZooKeeperEvent: TypeAlias = (
    ZooKeeperStarted
    | SessionOpened
    | SessionEnded
    | ZNodeWritten
    | ZNodeRefused
    | WatchSet
    | WatchFired
    | SessionSeen
    | ControllerRaceWon
    | ControllerRaceLost
    | ControllerTookOver
    | StateWriteRefused
    | PushSent
    | PushObeyed
    | PushRefused
    | BrokersFound
    | IsrChangesTold
)
