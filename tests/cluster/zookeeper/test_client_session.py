"""A broker's session: what waits, what is asked again, what is over."""

from __future__ import annotations

from dataclasses import replace

from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.messages import (
    CloseSessionRequest,
    Operation,
    OperationResult,
    SessionEventsRequest,
    SessionEventsResponse,
    SessionRequest,
    SessionResponse,
    WatchedEvent,
    ZooKeeperCode,
    ZooKeeperRequest,
    ZooKeeperResponse,
)
from cluster.model.settings import Settings
from cluster.zookeeper.client_session import ANSWER_TIMER, RETRY_TIMER, SILENCE_TIMER, ClientSession, Results

DONE = ZooKeeperResponse(results=(OperationResult(),))


class Heard:
    """Notes what a session tells."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def on_session_open(self, *, is_new: bool) -> None:
        self.told.append("new" if is_new else "back")

    def on_session_expired(self) -> None:
        self.told.append("expired")

    def on_answer(self, ticket: int, error: int, _results: Results, *, is_repeated: bool) -> None:
        self.told.append((ticket, error, is_repeated))

    def on_watched(self, event: WatchedEvent) -> None:
        self.told.append(event.path)


class Bench:
    """A session that is open, with two requests on their way at most."""

    def __init__(self) -> None:
        self.out: list[Effect] = []
        self.heard = Heard()
        settings = replace(Settings(), zookeeper_max_in_flight_requests=2)
        self.session = ClientSession(101, settings, self.heard, self.out)
        self.session.start()
        self.session.on_message(self.sent(SessionRequest)[-1].correlation, SessionResponse(session_id=7))

    def sent(self, kind: type) -> list[Send]:
        return [effect for effect in self.out if isinstance(effect, Send) and isinstance(effect.message, kind)]

    def ask(self, path: str) -> int:
        return self.session.ask([Operation(kind="get", path=path)])

    def paths(self) -> list[str]:
        return [send.message.operations[0].path for send in self.sent(ZooKeeperRequest)]  # type: ignore[union-attr]


def test_only_so_many_requests_are_on_their_way() -> None:
    bench = Bench()
    for path in ("/a", "/b", "/c"):
        bench.ask(path)
    assert bench.paths() == ["/a", "/b"]
    bench.session.on_message(bench.sent(ZooKeeperRequest)[0].correlation, DONE)
    assert bench.paths() == ["/a", "/b", "/c"] and bench.heard.told == ["new", (1, 0, False)]


def test_what_an_answer_skipped_is_asked_again_and_called_repeated() -> None:
    bench = Bench()
    bench.ask("/a")
    bench.ask("/b")
    bench.session.on_message(bench.sent(ZooKeeperRequest)[1].correlation, DONE)
    assert bench.paths() == ["/a", "/b", "/a"]
    bench.session.on_message(bench.sent(ZooKeeperRequest)[2].correlation, DONE)
    assert bench.heard.told == ["new", (2, 0, False), (1, 0, True)]


def test_after_a_lost_connection_the_same_session_goes_on_and_asks_again() -> None:
    bench = Bench()
    bench.ask("/a")
    bench.session.on_disconnected(101)
    assert not bench.session.is_open
    bench.session.on_timer("session.retry")
    again = bench.sent(SessionRequest)[-1]
    assert isinstance(again.message, SessionRequest) and again.message.session_id == 7
    bench.session.on_message(again.correlation, SessionResponse(session_id=7))
    assert bench.heard.told == ["new", "back"] and bench.paths() == ["/a", "/a"]


def test_an_expired_session_answers_nothing_more_and_a_new_one_is_opened() -> None:
    bench = Bench()
    bench.ask("/a")
    expired = ZooKeeperResponse(error=ZooKeeperCode.SESSION_EXPIRED)
    bench.session.on_message(bench.sent(ZooKeeperRequest)[0].correlation, expired)
    fresh = bench.sent(SessionRequest)[-1]
    assert isinstance(fresh.message, SessionRequest) and fresh.message.session_id == 0
    bench.session.on_message(fresh.correlation, SessionResponse(session_id=9))
    assert bench.heard.told == ["new", "expired", "new"] and bench.paths() == ["/a"]


def test_an_event_that_comes_twice_is_told_once() -> None:
    bench = Bench()
    for _ in range(2):
        asked = bench.sent(SessionEventsRequest)[-1]
        event = WatchedEvent(kind="children", path="/brokers/ids")
        bench.session.on_message(asked.correlation, SessionEventsResponse(first=1, events=(event,)))
    assert bench.heard.told == ["new", "/brokers/ids"]
    newest = bench.sent(SessionEventsRequest)[-1].message
    assert isinstance(newest, SessionEventsRequest) and newest.seen == 1


def test_a_connection_that_answers_no_request_for_two_thirds_of_a_session_is_given_up() -> None:
    bench = Bench()
    bench.ask("/a")
    waits = [effect.delay_ms for effect in bench.out if isinstance(effect, SetTimer) and effect.name == ANSWER_TIMER]
    assert waits == [Settings().zookeeper_session_timeout_ms * 2 // 3]


def test_whatever_is_heard_makes_the_silence_begin_anew_and_no_try_to_connect_is_left() -> None:
    bench = Bench()
    bench.ask("/a")
    del bench.out[:]
    bench.session.on_message(1_000_003, DONE)
    assert bench.out == [], "nobody asked for that"
    bench = Bench()
    bench.ask("/a")
    correlation = bench.sent(ZooKeeperRequest)[0].correlation
    del bench.out[:]
    bench.session.on_message(correlation, DONE)
    patience_ms = Settings().zookeeper_session_timeout_ms * 2 // 3
    assert bench.out[:2] == [CancelTimer(RETRY_TIMER), SetTimer(SILENCE_TIMER, patience_ms)]
    assert bench.out[-1] == CancelTimer(ANSWER_TIMER), "nothing is on its way"


def test_a_session_is_opened_once_however_often_the_answer_comes() -> None:
    bench = Bench()
    opened = bench.sent(SessionRequest)[-1].correlation
    bench.session.on_message(opened, SessionResponse(session_id=7))
    assert bench.heard.told == ["new"]


def test_a_silent_connection_is_given_up_and_what_was_on_its_way_is_asked_again() -> None:
    bench = Bench()
    bench.ask("/a")
    bench.session.on_timer(SILENCE_TIMER)
    assert not bench.session.is_open
    again = bench.sent(SessionRequest)[-1]
    bench.session.on_message(again.correlation, SessionResponse(session_id=7))
    assert bench.paths() == ["/a", "/a"]
    states = [effect.event.state for effect in bench.out if isinstance(effect, Emit)]  # type: ignore[union-attr]
    assert states == ["open", "silent", "open"]


def test_who_closes_its_session_asks_once_and_opens_none_again() -> None:
    bench = Bench()
    bench.session.close()
    (closed,) = bench.sent(CloseSessionRequest)
    assert closed.message == CloseSessionRequest(session_id=7)
    sent = len(bench.out)
    bench.session.on_disconnected(101)
    bench.session.on_timer(RETRY_TIMER)
    assert len(bench.out) == sent


def test_the_loss_of_another_connection_is_nothing_to_a_session() -> None:
    bench = Bench()
    sent = len(bench.out)
    bench.session.on_disconnected(102)
    assert bench.session.is_open and len(bench.out) == sent
