"""What nodes told of messages and timers, and the picture of it. Times are in milliseconds."""

from __future__ import annotations

from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.picture.cluster_state import ClusterState

MS = 1_000_000


class Seen:
    """What nodes told, and the picture of it."""

    def __init__(self) -> None:
        self.state = ClusterState()
        self.entries: list[Entry] = []

    def tell(self, at_ms: int, node: int, event: Any) -> Entry:
        entry = Entry("run", node, 0, len(self.entries), at_ms * MS, 0, 0, None, "", None, event)
        self.entries.append(entry)
        self.state.apply(entry)
        return entry

    def vote(
        self, at_ms: int, fate: str, ended_ms: int = 0, *, left_ms: int = 10, node: int = 101, **more: Any
    ) -> Entry:
        event = ev.MessageSeen(source=101, target=102, message="VoteRequest", is_answer=False, fate=fate,
                               left_ns=left_ms * MS, ended_ns=ended_ms * MS, correlation=4, **more)  # fmt: skip
        return self.tell(at_ms, node, event)

    def fetches(self, since_ms: int, until_ms: int, count: int, source: int = 102, node: int = 103) -> Entry:
        sample = (since_ms + 1) * MS, (since_ms + 2) * MS, "t", 0, (("offset", 9),)
        heard = ((source, "FetchRequest", count, 0, *sample),)
        event = ev.TrafficSeen(since_ns=since_ms * MS, until_ns=until_ms * MS, heard=heard if count else ())
        return self.tell(until_ms, node, event)
