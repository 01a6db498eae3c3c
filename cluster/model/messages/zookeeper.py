"""What brokers and tools ask of the coordinator that stands for a ZooKeeper ensemble: sessions, znodes, watches.

ZooKeeper's own protocol pushes what a watch saw to its client. Here a client asks for it, and the answer waits until
there is something: that request is its ping, too.
"""

from __future__ import annotations

from enum import IntEnum
from typing import ClassVar, TypeAlias

from cluster.model.positional import Positional

ANY_VERSION = -1
NO_SESSION = 0


class ZooKeeperCode(IntEnum):
    """What the coordinator says went wrong; 0 is none. Source: ZooKeeper KeeperException.Code."""

    OK = 0
    RUNTIME_INCONSISTENCY = -2
    """Of an operation that is fine in a multi of which another one failed."""
    CONNECTION_LOSS = -4
    BAD_ARGUMENTS = -8
    NO_NODE = -101
    BAD_VERSION = -103
    NO_CHILDREN_FOR_EPHEMERALS = -108
    NODE_EXISTS = -110
    NOT_EMPTY = -111
    SESSION_EXPIRED = -112


class Operation(Positional, kw_only=True):
    """One operation on one znode. Source: ZooKeeper ZooDefs.OpCode."""

    kind: str
    """create, delete, set, check, get or children."""
    path: str
    data: str = ""
    """What create and set write."""
    version: int = ANY_VERSION
    """The znode must have it, for delete, set and check; -1 asks for none."""
    ephemeral: bool = False
    """Goes with the session that creates it."""
    sequential: bool = False
    """Ten digits are put behind the path: how many children its parent has ever had."""
    watch: bool = False
    """Tell this session once of the next change to what is read."""


class OperationResult(Positional, kw_only=True):
    """What became of one operation."""

    error: ZooKeeperCode = ZooKeeperCode.OK
    path: str = ""
    """As it was created, with its number; empty for other operations."""
    data: str = ""
    version: int = -1
    """After the operation; 0 for a new znode."""
    czxid: int = -1
    """Transaction that created the znode."""
    owner: int = NO_SESSION
    """Session of an ephemeral znode."""
    children: tuple[str, ...] = ()
    """Names without the path, in order."""


class SessionRequest(Positional, kw_only=True):
    """Open a session, or go on with one over a new connection. Source: ZooKeeper ConnectRequest."""

    wire_number: ClassVar[int] = 100
    session_id: int = NO_SESSION
    """0 opens a new one."""
    timeout_ms: int


class SessionResponse(Positional, kw_only=True):
    """The session is open."""

    wire_number: ClassVar[int] = 101
    session_id: int = NO_SESSION
    """0 when the one asked for has expired."""


class SessionEventsRequest(Positional, kw_only=True):
    """I am alive; tell me what my watches see."""

    wire_number: ClassVar[int] = 102
    session_id: int
    seen: int
    """Number of the newest event that came; the coordinator forgets events up to it."""


class WatchedEvent(Positional, kw_only=True):
    """A watch saw something; it is gone with that. Source: ZooKeeper WatcherEvent."""

    kind: str
    """created, deleted, changed or children."""
    path: str


class SessionEventsResponse(Positional, kw_only=True):
    """What the watches of a session saw, oldest first; none after a third of the session's timeout."""

    wire_number: ClassVar[int] = 103
    error: ZooKeeperCode = ZooKeeperCode.OK
    first: int = 0
    """Number of the first event; they count from 1."""
    events: tuple[WatchedEvent, ...] = ()


class ZooKeeperRequest(Positional, kw_only=True):
    """Do these, all or none. Source: ZooKeeper MultiTransactionRecord."""

    wire_number: ClassVar[int] = 104
    session_id: int = NO_SESSION
    """0 for a tool that needs no session."""
    operations: tuple[Operation, ...]


class ZooKeeperResponse(Positional, kw_only=True):
    """What became of them."""

    wire_number: ClassVar[int] = 105
    error: ZooKeeperCode = ZooKeeperCode.OK
    """A ZooKeeperCode; of the first operation that failed."""
    results: tuple[OperationResult, ...] = ()
    """In order; none when the session has expired."""


class CloseSessionRequest(Positional, kw_only=True):
    """My session ends; its ephemeral znodes go at once."""

    wire_number: ClassVar[int] = 106
    session_id: int


class CloseSessionResponse(Positional, kw_only=True):
    """It has ended."""

    wire_number: ClassVar[int] = 107


ZooKeeperMessage: TypeAlias = (
    SessionRequest
    | SessionResponse
    | SessionEventsRequest
    | SessionEventsResponse
    | ZooKeeperRequest
    | ZooKeeperResponse
    | CloseSessionRequest
    | CloseSessionResponse
)
