"""Invariants of the coordinator: versions and transactions grow, watches fire once, ephemeral znodes go in time."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.invariants.group import Group, Tally, after, invariant
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.model.identifiers import METADATA


@dataclass(slots=True)
class _ZNode:
    """A znode as it was told last."""

    version: int
    owner: int
    event: EventId


class ZNodeInvariants(Group):
    """Z1 to Z3. The coordinator may forget what its disk lost; then nothing is known until all is written anew."""

    Z1 = invariant("versions of znodes grow by one, transactions in order", "ZooKeeper paper 2.2", "A1")
    Z2 = invariant("a watch is told once, of the next change", "ZooKeeper paper 2.1", "A1")
    Z3 = invariant("ephemeral znodes come with a session and go with it", "ZooKeeper paper 2.2", "A1")

    def begin(self) -> None:
        self._znodes: dict[str, _ZNode] = {}
        self._zxid = 0
        self._is_untold = False
        self._sessions: dict[int, EventId] = {}
        self._ending: dict[str, EventId] = {}
        self._watches: dict[tuple[str, bool], dict[int, EventId]] = {}
        self._owed: dict[tuple[str, bool, int], EventId] = {}

    @after
    def _started(self, entry: Entry, event: ev.ZooKeeperStarted) -> None:
        """What was flushed comes back; what was not was told to nobody. Watches live in memory."""
        self._watches.clear()
        self._owed.clear()
        self._ending.clear()
        if event.zxid > self._zxid:  # it had written more than it lived to tell
            self._znodes.clear()
            self._is_untold = True
        self.Z1.checks += 1
        if event.zxid < self._zxid:
            self._violated(
                self.Z1, f"the coordinator comes back at zxid {event.zxid}; it had told of {self._zxid}", entry.id
            )
            self._zxid = event.zxid

    @after
    def _opened(self, entry: Entry, event: ev.SessionOpened) -> None:
        self._sessions[event.session_id] = entry.id
        self._zxid = max(self._zxid, event.session_id)

    @after
    def _ended(self, entry: Entry, event: ev.SessionEnded) -> None:
        self.Z3.checks += 1
        self._settle_ending(entry)
        self._settle_watches(entry)
        self._zxid = max(self._zxid, event.zxid)
        opened = self._sessions.pop(event.session_id, entry.id)
        owned = {path for path, node in self._znodes.items() if node.owner == event.session_id}
        left = sorted(owned - set(event.ephemerals))
        if left:
            self._violated(self.Z3, f"session {event.session_id} ends and {left[0]} stays", entry.id, opened)
        self._ending = {path: entry.id for path in event.ephemerals if path in owned}

    def _settle_ending(self, entry: Entry) -> None:
        """Whatever else happens, ephemeral znodes are gone before."""
        for path, ended in sorted(self._ending.items()):
            self._violated(self.Z3, f"{path} outlives its session", entry.id, ended)
        self._ending.clear()

    @after
    def _written(self, entry: Entry, event: ev.ZNodeWritten) -> None:
        self.Z1.checks += 1
        znode = self._znodes.get(event.path)
        if event.zxid < self._zxid:
            self._violated(self.Z1, f"zxid {event.zxid} comes after {self._zxid}", entry.id)
        if event.zxid != self._zxid:
            self._settle_watches(entry)
        self._zxid = max(self._zxid, event.zxid)
        due = 0 if event.kind == "created" else -1 if znode is None else znode.version + (event.kind == "changed")
        if event.kind == "created" and znode is not None:
            self._violated(self.Z1, f"{event.path} is created where it is", entry.id, znode.event)
        elif znode is not None and event.version != due:
            self._violated(
                self.Z1, f"{event.path} is {event.kind} in version {event.version}; {due} is due", entry.id, znode.event
            )
        if event.owner and event.kind == "created":
            self.Z3.checks += 1
            if event.owner not in self._sessions and not self._is_untold:
                self._violated(self.Z3, f"{event.path} is created in session {event.owner}, which is over", entry.id)
        self._ending.pop(event.path, None)
        if event.kind == "deleted":
            self._znodes.pop(event.path, None)
        else:
            self._znodes[event.path] = _ZNode(event.version, event.owner, entry.id)
        self._owe(entry, event)

    def _owe(self, entry: Entry, event: ev.ZNodeWritten) -> None:
        seen = [(event.path, False)]
        if event.kind != "changed":
            seen.append((event.path.rpartition("/")[0] or "/", True))
        if event.kind == "deleted":
            seen.append((event.path, True))
        for watch in seen:
            for session_id in self._watches.pop(watch, {}):
                if session_id in self._sessions:
                    self._owed[(*watch, session_id)] = entry.id

    def _settle_watches(self, entry: Entry) -> None:
        """All watches that a transaction sees fire before the next one."""
        for (path, _, session_id), changed in sorted(self._owed.items()):
            self._violated(
                self.Z2, f"{path} changed and the watch of session {session_id} is silent", entry.id, changed
            )
        self._owed.clear()

    @after
    def _watch_set(self, entry: Entry, event: ev.WatchSet) -> None:
        self._watches.setdefault((event.path, event.of_children), {})[event.session_id] = entry.id

    @after
    def _fired(self, entry: Entry, event: ev.WatchFired) -> None:
        self.Z2.checks += 1
        if self._owed.pop((event.path, event.of_children, event.session_id), None) is None:
            self._violated(
                self.Z2, f"a watch of session {event.session_id} on {event.path} fires and none was set", entry.id
            )

    def _violated(self, promise: Tally, sentence: str, *events: EventId) -> None:
        promise.violated(sentence, *events, scope=METADATA)
