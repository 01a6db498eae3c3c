"""The coordinator: what is told waits for the disk, watches fire once, sessions end and take their znodes along."""

from __future__ import annotations

from pathlib import Path

from cluster.model.effects import Append, Effect, Emit, Flush, Send
from cluster.model.events import SessionEnded, WatchFired
from cluster.model.inputs import Flushed, NodeStarted, Received, TimerFired
from cluster.model.messages import (
    Message,
    Operation,
    SessionEventsRequest,
    SessionEventsResponse,
    SessionRequest,
    SessionResponse,
    ZooKeeperCode,
    ZooKeeperRequest,
    ZooKeeperResponse,
)
from cluster.storage.node_store import NodeStore
from cluster.zookeeper.coordinator import Coordinator
from cluster.zookeeper.transactions import TRANSACTIONS


class Bench:
    """A coordinator on a disk of its own."""

    def __init__(self, folder: Path) -> None:
        self.store = NodeStore(folder, host_fsync=False, emit=lambda _event: None)
        self.coordinator = Coordinator(self.store.open(TRANSACTIONS)[0])
        self.count = 0
        self.do(self.coordinator.handle(NodeStarted(), 0))

    def do(self, effects: list[Effect], *, flushes: bool = True) -> list[Effect]:
        """Perform what is for the disk; everything that was asked for, and what the flush let go."""
        done = list(effects)
        for effect in effects:
            if isinstance(effect, Append):
                self.store.append(effect.topic_partition, effect.records)
            elif isinstance(effect, Flush) and flushes:
                end = self.store.flush(TRANSACTIONS)
                flushed = Flushed(topic_partition=TRANSACTIONS, end_offset=end)
                done += self.do(self.coordinator.handle(flushed, 0))
        return done

    def ask(self, sender: int, message: Message, now_ms: int = 0, *, flushes: bool = True) -> list[Effect]:
        """One request, and all that it led to."""
        self.count += 1
        received = Received(sender=sender, correlation=self.count, message=message)
        return self.do(self.coordinator.handle(received, now_ms), flushes=flushes)

    def session(self, client: int, now_ms: int = 0) -> int:
        """A new session of 3 s."""
        (answer,) = answers(self.ask(client, SessionRequest(timeout_ms=3000), now_ms))
        assert isinstance(answer, SessionResponse)
        return answer.session_id

    def write(self, session_id: int, now_ms: int = 0, *, flushes: bool = True, **given: object) -> list[Effect]:
        """One operation."""
        operation = Operation(**given)  # type: ignore[arg-type]
        request = ZooKeeperRequest(session_id=session_id, operations=(operation,))
        return self.ask(1, request, now_ms, flushes=flushes)


def answers(effects: list[Effect]) -> list[Message]:
    return [effect.message for effect in effects if isinstance(effect, Send)]


def events(effects: list[Effect], kind: type) -> list[object]:
    return [effect.event for effect in effects if isinstance(effect, Emit) and isinstance(effect.event, kind)]


def test_nothing_is_answered_before_it_is_on_disk(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    session = bench.session(1)
    late = bench.write(session, flushes=False, kind="create", path="/a")
    assert answers(late) == []
    assert answers(bench.write(session, flushes=False, kind="get", path="/a")) == [], "a read may tell of it, too"
    end = bench.store.flush(TRANSACTIONS)
    freed = bench.do(bench.coordinator.handle(Flushed(topic_partition=TRANSACTIONS, end_offset=end), 0))
    assert [type(answer) for answer in answers(freed)] == [ZooKeeperResponse, ZooKeeperResponse]


def test_a_watch_is_told_of_one_change(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    session = bench.session(1)
    bench.write(session, kind="children", path="/", watch=True)
    first = bench.write(session, kind="create", path="/a")
    second = bench.write(session, kind="create", path="/b")
    assert len(events(first, WatchFired)) == 1 and events(second, WatchFired) == []
    (answer,) = answers(bench.ask(1, SessionEventsRequest(session_id=session, seen=0)))
    assert isinstance(answer, SessionEventsResponse)
    assert [(event.kind, event.path) for event in answer.events] == [("children", "/")]


def test_a_silent_session_ends_with_its_ephemeral_znodes_and_is_refused_from_then_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    session = bench.session(1)
    bench.write(session, kind="create", path="/controller", ephemeral=True)
    timer = TimerFired(name=f"zookeeper.expiry.{session}")
    assert events(bench.do(bench.coordinator.handle(timer, 2_999)), SessionEnded) == []
    (ended,) = events(bench.do(bench.coordinator.handle(timer, 3_000)), SessionEnded)
    assert isinstance(ended, SessionEnded) and ended.ephemerals == ("/controller",)
    (answer,) = answers(bench.write(session, kind="get", path="/controller"))
    assert isinstance(answer, ZooKeeperResponse) and answer.error == ZooKeeperCode.SESSION_EXPIRED


def test_what_was_written_is_there_after_a_restart_and_sessions_live_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    session = bench.session(1)
    bench.write(session, kind="create", path="/a", data="x", ephemeral=True)
    bench.store.write_out()
    again = Bench(tmp_path)
    (answer,) = answers(again.write(session, kind="get", path="/a"))
    assert isinstance(answer, ZooKeeperResponse)
    assert (answer.results[0].data, answer.results[0].owner) == ("x", session)
