"""What a fetcher does in sessions: gathers its fetches of one leader, and takes the answer apart again.

Those who want records, replicas that follow and members of groups, ask for each partition by itself and know nothing of
sessions. What they ask waits here while a request to the same leader is on its way.

Source: KIP-227; Kafka FetchSessionHandler.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator

from msgspec import Struct, field
from msgspec.structs import replace

from cluster.fetch_sessions.session_cache import FINAL_EPOCH, INITIAL_EPOCH, NO_SESSION, next_epoch
from cluster.model.effects import CancelTimer, Effect, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NO_NODE, NodeId, TopicPartition
from cluster.model.inputs import Received
from cluster.model.messages import FetchRequest, FetchResponse, SessionFetchRequest, SessionFetchResponse

FETCHES_MAX = 400
"""In one request; a frame takes 10,000 values. Others are sent by themselves."""


class Asked(Struct):
    """A fetch of one partition, as its owner sent it."""

    correlation: int
    """What the owner knows the answer by."""
    request: FetchRequest


class _Session(Struct):
    """With one broker."""

    number: int = NO_SESSION
    epoch: int = INITIAL_EPOCH
    """Of the next request."""
    remembered: dict[TopicPartition, FetchRequest] = field(default_factory=dict)
    """As the broker knows it after the newest request."""
    told: dict[TopicPartition, FetchResponse] = field(default_factory=dict)
    """The newest answer of each partition without its records: it holds while the broker says nothing else."""
    waiting: dict[TopicPartition, Asked] = field(default_factory=dict)
    """For the next request."""
    on_way: dict[TopicPartition, Asked] = field(default_factory=dict)
    """In the request that is on its way; empty for none."""
    correlation: int = -1
    """Of that request."""

    def begin_anew(self, number: int = NO_SESSION) -> None:
        """The next fetch is full; one that names the old session ends it."""
        self.number, self.epoch = number, INITIAL_EPOCH
        self.remembered, self.told = {}, {}

    def take_back(self) -> dict[TopicPartition, Asked]:
        """What was on its way is not any more."""
        sent, self.on_way, self.correlation = self.on_way, {}, -1
        return sent


class FetchSessionHandler:
    """The sessions of one fetcher, one with each broker that it fetches from."""

    __slots__ = ("_fresh", "_is_wanted", "_prefix", "_sessions", "_timeout_ms")

    def __init__(
        self, timer_prefix: str, timeout_ms: int, fresh: Callable[[], int], is_wanted: Callable[[int], bool]
    ) -> None:
        """
        Args:
            timer_prefix: of the names of its timers; the broker's id follows.
            timeout_ms: how long it waits for an answer.
            fresh: a correlation that no other request has.
            is_wanted: whether an owner still waits for an answer of that correlation.
        """
        self._prefix, self._timeout_ms, self._fresh, self._is_wanted = timer_prefix, timeout_ms, fresh, is_wanted
        self._sessions: dict[NodeId, _Session] = {}

    def gather(
        self, effects: Iterable[Effect], is_alone: Callable[[FetchRequest], bool] = lambda _: False
    ) -> Iterator[Effect]:
        """Keep fetches back, but for those that go alone; all else passes."""
        for effect in effects:
            if type(effect) is Send and type(effect.message) is FetchRequest and not is_alone(effect.message):
                self._wait(effect.target, effect.correlation, effect.message)
            else:
                yield effect

    def _wait(self, target: NodeId, correlation: int, request: FetchRequest) -> None:
        session = self._sessions.setdefault(target, _Session())
        session.waiting[TopicPartition(request.topic, request.partition)] = Asked(correlation, request)

    def send(self, late: Container[TopicPartition] = ()) -> list[Effect]:
        """Let what waits leave, for each broker without a request on its way.

        Args:
            late: partitions whose next fetch is about to come: a session with one of them waits for it.
        """
        effects: list[Effect] = []
        for target, session in self._sessions.items():
            if session.on_way or not session.waiting or any(where in late for where in session.remembered):
                continue
            wanted = {where: asked for where, asked in session.waiting.items() if self._is_wanted(asked.correlation)}
            session.waiting = wanted
            if wanted:
                effects += self._send(target, session)
        return effects

    def _send(self, target: NodeId, session: _Session) -> list[Effect]:
        """Name what is new or asked for otherwise, and what is not wanted now."""
        all_wanted = list(session.waiting.items())
        wanted, beyond = dict(all_wanted[:FETCHES_MAX]), all_wanted[FETCHES_MAX:]
        alone = [Send(target, asked.request, asked.correlation) for _, asked in beyond]
        before = session.remembered
        request = SessionFetchRequest(
            session_id=session.number,
            session_epoch=session.epoch,
            fetches=tuple(asked.request for where, asked in wanted.items() if before.get(where) != asked.request),
            forgotten=tuple((topic, partition) for topic, partition in before if (topic, partition) not in wanted),
        )
        session.told = {where: answer_told for where, answer_told in session.told.items() if where in wanted}
        session.remembered = {where: asked.request for where, asked in wanted.items()}
        session.waiting, session.on_way = {}, wanted
        session.correlation = self._fresh()
        guard = SetTimer(f"{self._prefix}{target}", self._timeout_ms)
        return [*alone, Send(target, request, session.correlation), guard]

    def answered(self, sender: NodeId, correlation: int, response: SessionFetchResponse) -> list[Received] | None:
        """An answer taken apart for the owners; None for one that nobody waits for.

        After an error all is asked for again at once, in a full fetch: the next `send` does it.
        """
        session = self._sessions.get(sender)
        if session is None or session.correlation != correlation:
            return None
        sent = session.take_back()
        if response.error:
            session.begin_anew(NO_SESSION if response.error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND else session.number)
            session.waiting = sent | session.waiting
            return []
        answers = {TopicPartition(answer.topic, answer.partition): answer for answer in response.answers}
        received = []
        for where, asked in sent.items():
            answer = answers.get(where) or session.told.get(where)
            if answer is not None:
                received.append(Received(sender=sender, correlation=asked.correlation, message=answer))
        if response.session_id == NO_SESSION:
            session.begin_anew()
            return received
        session.number, session.epoch = response.session_id, next_epoch(session.epoch)
        for where, answer in answers.items():
            session.told.pop(where, None)
            if not answer.error:
                session.told[where] = replace(
                    answer, records=b"", diverging=None, preferred_read_replica=NO_NODE, aborted=()
                )
        return received

    def close(self) -> list[Effect]:
        """Have each broker forget its session; nobody waits for the answers.

        Source: Kafka AbstractFetch.prepareCloseFetchSessionRequests.
        """
        effects: list[Effect] = []
        for target, session in self._sessions.items():
            if session.number != NO_SESSION:
                request = SessionFetchRequest(session_id=session.number, session_epoch=FINAL_EPOCH)
                effects.append(Send(target, request, self._fresh()))
            if session.on_way:
                effects.append(self.guard(target))
        self._sessions = {}
        return effects

    def guard(self, sender: NodeId) -> CancelTimer:
        """The end of the wait for that broker."""
        return CancelTimer(f"{self._prefix}{sender}")

    def on_timer(self, name: str) -> bool:
        """No answer came in time; whether the timer was one of these."""
        if not name.startswith(self._prefix):
            return False
        self.lost(int(name.removeprefix(self._prefix)))
        return True

    def lost(self, peer: NodeId) -> None:
        """No answer will come from there: the next fetch is full. The owners have timers of their own."""
        session = self._sessions.get(peer)
        if session is not None and session.on_way:
            session.take_back()
            session.begin_anew(session.number)
