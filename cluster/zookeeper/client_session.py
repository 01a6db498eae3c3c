"""A broker's session with the coordinator: kept alive, resumed, or lost. Source: Kafka ZooKeeperClient, ClientCnxn."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Protocol

from msgspec import Struct

from cluster.model import messages as core
from cluster.model.effects import CancelTimer, Effect, Emit, Send, SetTimer
from cluster.model.events import SessionSeen
from cluster.model.identifiers import NodeId
from cluster.model.messages import Message
from cluster.model.settings import Settings

RETRY_TIMER = "session.retry"
SILENCE_TIMER = "session.silence"
ANSWER_TIMER = "session.answer"
CORRELATION_STEP, CORRELATION_REMAINDER = 4, 1
Operations = tuple[core.Operation, ...]
Results = tuple[core.OperationResult, ...]
LOST = core.ZooKeeperCode.CONNECTION_LOSS


class Asked(Struct):
    """A request that waits for its answer."""

    ticket: int
    """Of the caller."""
    operations: Operations
    is_repeated: bool = False
    """It was on its way when a connection was lost: it may have been done already."""


class Listener(Protocol):
    """Who is told of the session: all that stands on it."""

    def on_session_open(self, *, is_new: bool) -> None:
        """It is open; one that was silent meanwhile may have missed events of its watches."""

    def on_session_expired(self) -> None:
        """Its ephemeral znodes are gone; what was asked is answered no more."""

    def on_answer(self, ticket: int, error: int, results: Results, *, is_repeated: bool) -> None:
        """What became of a request; repeated ones may have been done twice."""

    def on_watched(self, event: core.WatchedEvent) -> None:
        """A watch saw something."""


class ClientSession:
    """Asks one coordinator; of its requests a few are on their way at a time."""

    __slots__ = ("_coordinator", "_counter", "_events_asked", "_in_flight", "_is_closing", "_is_open", "_listener",
                 "_opening", "_out", "_queue", "_seen", "_settings", "_tickets", "session_id")  # fmt: skip

    def __init__(
        self,
        coordinator: NodeId,
        settings: Settings,
        listener: Listener,
        out: list[Effect],
        first_correlation: int = 0,
    ) -> None:
        """`out`: where what is to be done is put."""
        self._coordinator, self._settings, self._listener = coordinator, settings, listener
        self._counter = first_correlation // CORRELATION_STEP
        self._tickets = 0
        self._opening = self._events_asked = -1
        self._in_flight: dict[int, Asked] = {}
        self._queue: deque[Asked] = deque()
        self._seen = 0
        self._is_open = self._is_closing = False
        self._out = out
        self.session_id = core.NO_SESSION
        """0 while there is none."""

    @property
    def is_open(self) -> bool:
        """Whether the coordinator was heard on the present connection."""
        return self._is_open

    def start(self) -> None:
        """Open a session."""
        self._open()

    def close(self) -> None:
        """End it: the coordinator takes its ephemeral znodes away at once."""
        self._is_closing = True
        if self.session_id != core.NO_SESSION:
            self._send(core.CloseSessionRequest(session_id=self.session_id))

    def ask(self, operations: Sequence[core.Operation]) -> int:
        """Have them done, all or none; a ticket for the answer. It waits for a session if there is none."""
        self._tickets += 1
        self._queue.append(Asked(self._tickets, tuple(operations)))
        self._flow()
        return self._tickets

    def handles(self, message: Message) -> bool:
        """Whether it is an answer of the coordinator."""
        return isinstance(
            message,
            core.SessionResponse | core.SessionEventsResponse | core.ZooKeeperResponse | core.CloseSessionResponse,
        )

    def on_message(self, correlation: int, message: Message) -> None:
        """An answer of the coordinator; late ones of an earlier connection are dropped."""
        match message:
            case core.SessionResponse(session_id=session_id) if correlation == self._opening:
                self._on_opened(session_id)
            case core.SessionEventsResponse() as answer if correlation == self._events_asked:
                self._on_events(answer)
            case core.ZooKeeperResponse(error=error, results=results):
                asked = self._in_flight.pop(correlation, None)
                if asked is None:
                    return
                self._heard()
                self._ask_skipped_again(correlation)
                self._await_answers()
                if error == core.ZooKeeperCode.SESSION_EXPIRED:
                    self._expire()
                    return
                self._listener.on_answer(asked.ticket, error, results, is_repeated=asked.is_repeated)
                self._flow()

    def on_disconnected(self, peer: NodeId) -> None:
        """The connection is gone: whether what was on its way was done is not known, so it is asked again."""
        if peer != self._coordinator or self._is_closing:
            return
        self._fall_silent()
        self._out.append(SetTimer(RETRY_TIMER, self._settings.retry_backoff_ms))

    def on_timer(self, name: str) -> None:
        """Try to connect again, or give a silent connection up."""
        if self._is_closing:
            return
        if name in (SILENCE_TIMER, ANSWER_TIMER):
            self._fall_silent()
        self._open()

    def _open(self) -> None:
        timeout_ms = self._settings.zookeeper_session_timeout_ms
        self._opening = self._send(core.SessionRequest(session_id=self.session_id, timeout_ms=timeout_ms))
        self._out.append(SetTimer(SILENCE_TIMER, max(1, timeout_ms * 2 // 3)))

    def _fall_silent(self) -> None:
        if self._is_open:
            self._out.append(Emit(SessionSeen(state="silent", session_id=self.session_id)))
        self._is_open = False
        self._events_asked = self._opening = -1
        self._repeat(list(self._in_flight.values()))
        self._in_flight.clear()
        self._out.append(CancelTimer(ANSWER_TIMER))

    def _on_opened(self, session_id: int) -> None:
        self._opening = -1
        if session_id == core.NO_SESSION:
            self._expire()
            return
        is_new = session_id != self.session_id
        if is_new:
            self._seen = 0
        self.session_id, self._is_open = session_id, True
        self._out.append(Emit(SessionSeen(state="open", session_id=session_id)))
        self._heard()
        self._ask_events()
        self._listener.on_session_open(is_new=is_new)
        self._flow()

    def _heard(self) -> None:
        """Source: ClientCnxn gives a server up after two thirds of the session's timeout."""
        timeout_ms = self._settings.zookeeper_session_timeout_ms
        self._out += [CancelTimer(RETRY_TIMER), SetTimer(SILENCE_TIMER, max(1, timeout_ms * 2 // 3))]

    def _on_events(self, answer: core.SessionEventsResponse) -> None:
        self._events_asked = -1
        if self._is_closing:
            return
        self._heard()
        if answer.error == core.ZooKeeperCode.SESSION_EXPIRED:
            self._expire()
            return
        for number, event in enumerate(answer.events, start=answer.first):
            if number > self._seen:
                self._seen = number
                self._listener.on_watched(event)
        if self._is_open and self._events_asked == -1:
            self._ask_events()

    def _ask_events(self) -> None:
        self._events_asked = self._send(core.SessionEventsRequest(session_id=self.session_id, seen=self._seen))

    def _expire(self) -> None:
        """Its ephemeral znodes are gone. A new session begins with nothing."""
        self._out.append(Emit(SessionSeen(state="expired", session_id=self.session_id)))
        self.session_id, self._is_open = core.NO_SESSION, False
        self._events_asked = self._opening = -1
        self._in_flight.clear()
        self._queue.clear()
        self._listener.on_session_expired()
        if not self._is_closing:
            self._open()

    def _ask_skipped_again(self, correlation: int) -> None:
        """Answers come in the order of their requests: one that was skipped is lost, or its request is."""
        skipped = [number for number in self._in_flight if number < correlation]
        self._repeat([self._in_flight.pop(number) for number in skipped])

    def _repeat(self, lost: Sequence[Asked]) -> None:
        for asked in reversed(lost):
            # The connection may have broken before the request arrived, or after it was carried out. So it is asked
            # again, and who asked is told that: a create may find its own znode in the way, a write its own version.
            asked.is_repeated = True
            self._queue.appendleft(asked)

    def _await_answers(self) -> None:
        """A connection on which pings are answered and requests are not is given up, too."""
        if self._in_flight:
            self._out.append(SetTimer(ANSWER_TIMER, max(1, self._settings.zookeeper_session_timeout_ms * 2 // 3)))
        else:
            self._out.append(CancelTimer(ANSWER_TIMER))

    def _flow(self) -> None:
        """Source: Kafka zookeeper.max.in.flight.requests."""
        was_idle = not self._in_flight
        while self._is_open and self._queue and len(self._in_flight) < self._settings.zookeeper_max_in_flight_requests:
            asked = self._queue.popleft()
            request = core.ZooKeeperRequest(session_id=self.session_id, operations=asked.operations)
            self._in_flight[self._send(request)] = asked
        if was_idle and self._in_flight:
            self._await_answers()

    def _send(self, message: Message) -> int:
        self._counter += 1
        correlation = self._counter * CORRELATION_STEP + CORRELATION_REMAINDER
        self._out.append(Send(self._coordinator, message, correlation))
        return correlation
