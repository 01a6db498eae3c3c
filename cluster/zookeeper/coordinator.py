"""One process that stands for a ZooKeeper ensemble: a tree of znodes, sessions, one-shot watches.

It writes each transaction to its log and flushes it before it answers anything that follows from it. Ensembles agree on
that log among themselves (ZAB); here one process has it, so it may be down, and then nobody is asked.
"""

from __future__ import annotations

from collections import deque
from typing import assert_never

from msgspec import Struct, field

from cluster.model import messages as core
from cluster.model.effects import Append, CancelTimer, Effect, Emit, Flush, Send, SetTimer
from cluster.model.events import (
    SessionEnded,
    SessionOpened,
    WatchFired,
    WatchSet,
    ZNodeRefused,
    ZNodeWritten,
    ZooKeeperStarted,
)
from cluster.model.identifiers import NO_NODE, NodeId, Offset
from cluster.model.inputs import Flushed, NodeStarted, Received, TimerFired
from cluster.model.log_view import LogView
from cluster.model.messages import Message
from cluster.zookeeper.rules.sessions import expire_session
from cluster.zookeeper.transactions import TRANSACTIONS, Transaction, encode_transaction, read_transactions
from cluster.zookeeper.tree import Change, OperationFailed, Tree, parent_of

EXPIRY_TIMER = "zookeeper.expiry."
EVENTS_TIMER = "zookeeper.events."
PINGS_PER_SESSION = 3
"""A client is heard at least so often in a session's timeout. Source: ZooKeeper ClientCnxn, readTimeout."""
WRITES = ("create", "delete", "set")
Watch = tuple[str, bool]
"""(path, whether its children are watched)."""


class Session(Struct):
    """One client's session."""

    client: NodeId
    timeout_ms: int
    heard_ms: int
    events: list[core.WatchedEvent] = field(default_factory=list)
    """That the client has not said to have seen, oldest first."""
    first: int = 1
    """Number of the oldest of them."""
    asked: tuple[NodeId, int] | None = None
    """Whom to answer, and under which correlation, once there is an event."""


class Coordinator:
    """Serves znodes. Source: ZooKeeper ZooKeeperServer, SessionTrackerImpl, WatchManager."""

    __slots__ = ("_end_offset", "_log", "_now_ms", "_out", "_sessions", "_tree", "_waiting", "_watches")

    def __init__(self, log: LogView) -> None:
        self._log = log
        self._end_offset: Offset = log.log_end_offset
        self._tree = Tree()
        self._sessions: dict[int, Session] = {}
        self._watches: dict[Watch, set[int]] = {}
        self._waiting: deque[tuple[Offset, list[Effect]]] = deque()
        self._out: list[Effect] = []
        self._now_ms = 0

    def handle(self, happened: NodeStarted | Received | TimerFired | Flushed, now_ms: int) -> list[Effect]:
        """Apply one input; return the effects, in the order to do them."""
        self._now_ms, self._out = now_ms, []
        match happened:
            case NodeStarted():
                self._on_started()
            case Received(sender=sender, correlation=correlation, message=message):
                self._on_message(sender, correlation, message)
            case TimerFired(name=name):
                self._on_timer(name)
            case Flushed(end_offset=end_offset):
                self._on_flushed(end_offset)
            case _:
                assert_never(happened)
        return self._out

    @property
    def tree(self) -> Tree:
        """For looking only."""
        return self._tree

    def _on_started(self) -> None:
        """Sessions outlive the coordinator: each gets its whole timeout again. Watches do not."""
        for transaction in read_transactions(self._log):
            for change in transaction.changes:
                self._tree.apply(change)
            if transaction.timeout_ms:
                session = Session(transaction.client, transaction.timeout_ms, self._now_ms)
                self._sessions[transaction.session_id] = session
            else:
                self._sessions.pop(transaction.session_id, None)
        started = ZooKeeperStarted(
            zxid=self._end_offset,
            znodes=len(self._tree.nodes) - 1,
            sessions=len(self._sessions),
            ephemerals=tuple(sorted(path for path, node in self._tree.nodes.items() if node.owner != core.NO_SESSION)),
        )
        self._out.append(Emit(started))
        if self._log.flushed_offset < self._end_offset:
            self._out.append(Flush(TRANSACTIONS))
        for session_id, session in sorted(self._sessions.items()):
            self._out.append(SetTimer(f"{EXPIRY_TIMER}{session_id}", session.timeout_ms))

    def _on_message(self, sender: NodeId, correlation: int, message: Message) -> None:
        match message:
            case core.SessionRequest(session_id=session_id, timeout_ms=timeout_ms):
                self._on_session(sender, correlation, session_id, timeout_ms)
            case core.SessionEventsRequest() as asked:
                self._on_events_asked(sender, correlation, asked)
            case core.ZooKeeperRequest(session_id=session_id, operations=operations):
                answer = self._carry_out(sender, session_id, operations)
                self._hold([Send(sender, answer, correlation)])
            case core.CloseSessionRequest(session_id=session_id):
                if session_id in self._sessions:
                    self._end_session(session_id, "closed")
                self._hold([Send(sender, core.CloseSessionResponse(), correlation)])

    def _on_session(self, sender: NodeId, correlation: int, session_id: int, timeout_ms: int) -> None:
        if session_id != core.NO_SESSION:
            session = self._touch(session_id)
            answer = core.SessionResponse(session_id=session_id if session is not None else core.NO_SESSION)
            self._hold([Send(sender, answer, correlation)])
            return
        session_id = self._end_offset + 1
        self._write(Transaction(session_id=session_id, client=sender, timeout_ms=timeout_ms))
        self._sessions[session_id] = Session(sender, timeout_ms, self._now_ms)
        opened = SessionOpened(session_id=session_id, client=sender, timeout_ms=timeout_ms)
        self._out.append(SetTimer(f"{EXPIRY_TIMER}{session_id}", timeout_ms))
        self._hold([Emit(opened), Send(sender, core.SessionResponse(session_id=session_id), correlation)])

    def _on_events_asked(self, sender: NodeId, correlation: int, asked: core.SessionEventsRequest) -> None:
        session = self._touch(asked.session_id)
        if session is None:
            expired = core.SessionEventsResponse(error=core.ZooKeeperCode.SESSION_EXPIRED)
            self._hold([Send(sender, expired, correlation)])
            return
        seen = max(0, asked.seen + 1 - session.first)
        del session.events[:seen]
        session.first += seen
        session.asked = (sender, correlation)
        timer = f"{EVENTS_TIMER}{asked.session_id}"
        self._out.append(SetTimer(timer, max(1, session.timeout_ms // PINGS_PER_SESSION)))
        if session.events:
            self._tell_events(asked.session_id)

    def _touch(self, session_id: int) -> Session | None:
        session = self._sessions.get(session_id)
        if session is not None:
            session.heard_ms = self._now_ms
        return session

    def _carry_out(
        self, client: NodeId, session_id: int, operations: tuple[core.Operation, ...]
    ) -> core.ZooKeeperResponse:
        if session_id != core.NO_SESSION and self._touch(session_id) is None:
            return core.ZooKeeperResponse(error=core.ZooKeeperCode.SESSION_EXPIRED)
        if not any(operation.kind in WRITES for operation in operations) and len(operations) == 1:
            return self._read(client, session_id, operations[0])
        zxid = self._end_offset + 1
        try:
            results, changes = self._tree.transact(operations, session_id, zxid)
        except OperationFailed as failed:
            operation = operations[failed.index]
            refused = ZNodeRefused(kind=operation.kind, path=operation.path, error=failed.error, client=client)
            self._hold([Emit(refused, failed.decision)])
            others = [core.OperationResult(error=core.ZooKeeperCode.RUNTIME_INCONSISTENCY)] * len(operations)
            others[failed.index] = core.OperationResult(error=failed.error)
            return core.ZooKeeperResponse(error=failed.error, results=tuple(others))
        if changes:
            self._write(Transaction(changes=tuple(changes)))
            self._tell_changes(changes, client, zxid)
        return core.ZooKeeperResponse(results=tuple(results))

    def _read(self, client: NodeId, session_id: int, operation: core.Operation) -> core.ZooKeeperResponse:
        """To read and to watch is one step. Who finds nothing watches, too: for the znode to be created."""
        result = self._tree.read(operation)
        if operation.watch and session_id != core.NO_SESSION:
            of_children = operation.kind == "children"
            watchers = self._watches.setdefault((operation.path, of_children), set())
            if session_id not in watchers:
                watchers.add(session_id)
                watched = WatchSet(path=operation.path, of_children=of_children, session_id=session_id, client=client)
                self._hold([Emit(watched)])
        return core.ZooKeeperResponse(error=result.error, results=(result,))

    def _write(self, transaction: Transaction) -> None:
        self._out.append(Append(TRANSACTIONS, encode_transaction(transaction, self._end_offset)))
        self._out.append(Flush(TRANSACTIONS))
        self._end_offset += 1

    def _tell_changes(self, changes: list[Change], client: NodeId, zxid: int) -> None:
        """Each change with the watches that see it; said once the transaction is on disk."""
        for change in changes:
            node = change.node
            written = ZNodeWritten(
                kind=change.kind, path=change.path, version=node.version, zxid=zxid, owner=node.owner, client=client,
                data="" if change.kind == "deleted" else node.data,
            )  # fmt: skip
            self._hold([Emit(written)])
            self._fire((change.path, False), change.kind)
            if change.kind != "changed":
                self._fire((parent_of(change.path), True), "children")
            if change.kind == "deleted":
                self._fire((change.path, True), change.kind)

    def _fire(self, watch: Watch, kind: str) -> None:
        """A watch sees one change. Source: ZooKeeper WatchManager.triggerWatch."""
        path, of_children = watch
        for session_id in sorted(self._watches.pop(watch, ())):
            session = self._sessions.get(session_id)
            if session is None:
                continue
            session.events.append(core.WatchedEvent(kind=kind, path=path))
            fired = WatchFired(
                path=path, of_children=of_children, kind=kind, session_id=session_id, client=session.client
            )
            self._hold([Emit(fired)])
            self._tell_events(session_id)

    def _tell_events(self, session_id: int) -> None:
        session = self._sessions[session_id]
        if session.asked is None:
            return
        (client, correlation), session.asked = session.asked, None
        response = core.SessionEventsResponse(first=session.first, events=tuple(session.events))
        self._out.append(CancelTimer(f"{EVENTS_TIMER}{session_id}"))
        self._hold([Send(client, response, correlation)])

    def _on_timer(self, name: str) -> None:
        kind, _, number = name.rpartition(".")
        session_id = int(number)
        session = self._sessions.get(session_id)
        if session is None:
            return
        if f"{kind}." == EVENTS_TIMER:
            self._tell_events(session_id)
            return
        silence_ms = self._now_ms - session.heard_ms
        if expire_session(silence_ms, session.timeout_ms).granted:
            self._end_session(session_id, "expired")
        else:
            self._out.append(SetTimer(name, session.timeout_ms - silence_ms))

    def _end_session(self, session_id: int, why: str) -> None:
        """Its ephemeral znodes go in the transaction that ends it."""
        session = self._sessions.pop(session_id)
        ephemerals = self._tree.owned_by(session_id)
        deletions = [core.Operation(kind="delete", path=path) for path in ephemerals]
        zxid = self._end_offset + 1
        _, changes = self._tree.transact(deletions, session_id, zxid)
        self._write(Transaction(changes=tuple(changes), session_id=session_id))
        ruling = expire_session(self._now_ms - session.heard_ms, session.timeout_ms)
        ended = SessionEnded(session_id=session_id, client=session.client, why=why, ephemerals=ephemerals, zxid=zxid)
        self._hold([Emit(ended, ruling.decision if ruling.granted else None)])
        for watchers in self._watches.values():
            watchers.discard(session_id)
        self._tell_changes(changes, NO_NODE, zxid)
        if session.asked is not None:
            client, correlation = session.asked
            expired = core.SessionEventsResponse(error=core.ZooKeeperCode.SESSION_EXPIRED)
            self._hold([Send(client, expired, correlation)])
        self._out += [CancelTimer(f"{EVENTS_TIMER}{session_id}"), CancelTimer(f"{EXPIRY_TIMER}{session_id}")]

    def _hold(self, effects: list[Effect]) -> None:
        """Say it once all that is written so far is on disk: an answer may tell of what a crash would take back."""
        if self._waiting or self._end_offset > self._log.flushed_offset:
            self._waiting.append((self._end_offset, effects))
        else:
            self._out += effects

    def _on_flushed(self, end_offset: Offset) -> None:
        while self._waiting and self._waiting[0][0] <= end_offset:
            self._out += self._waiting.popleft()[1]
