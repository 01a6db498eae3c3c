"""Replicas that are fetched, and fetch, in sessions. Source: KIP-227; Kafka FetchManager, RemoteLeaderEndPoint."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from msgspec import Struct, field

from cluster.fetch_sessions.session_cache import INITIAL_EPOCH, Fetching, FetchSessionCache, PartitionKey
from cluster.fetch_sessions.session_handler import FetchSessionHandler
from cluster.model.effects import Effect, Emit, Flush, Send
from cluster.model.errors import ErrorCode
from cluster.model.events import FetchSessionOpened, FetchSessionRefused
from cluster.model.identifiers import NO_NODE, EpochEnd, NodeId, Offset, TopicPartition
from cluster.model.inputs import Disconnected, Flushed, Input, Received, TimerFired
from cluster.model.messages import FetchRequest, FetchResponse, SessionFetchRequest, SessionFetchResponse
from cluster.model.settings import Settings
from cluster.replication import waiting_fetches
from cluster.replication.replica_manager import PREFIX, ReplicaManager

RESPONSE_BYTES_MAX = 8 << 20
"""Once so much is read, what is left has to wait for the next fetch."""
FETCHER_TIMER = f"{PREFIX}fetcher:"


class Answer(NamedTuple):
    """What of an answer decides whether it is told, as the memory of sessions knows it."""

    records: bytes
    error_code: ErrorCode
    diverging_epoch: EpochEnd | None
    preferred_read_replica: NodeId
    high_watermark: Offset
    log_start_offset: Offset
    response: FetchResponse


class Serving(Struct):
    """A request that is not answered yet."""

    fetching: Fetching
    answers: dict[PartitionKey, Answer] = field(default_factory=dict)
    given_bytes: int = 0

    def note(self, response: FetchResponse) -> None:
        """One partition is answered."""
        self.given_bytes += len(response.records)
        self.answers[_key(response)] = Answer(
            response.records,
            response.error,
            response.diverging,
            response.preferred_read_replica,
            response.high_watermark,
            response.log_start_offset,
            response,
        )


def _key(about: FetchRequest | FetchResponse) -> PartitionKey:
    return about.topic, b"", about.partition


class SessionReplicaManager(ReplicaManager):
    """A replica manager between sessions: fetches come in and go out together, each replica sees its own."""

    __slots__ = ("_asking", "_flushing", "_remembered", "_serving")

    def __init__(
        self, broker_id: NodeId, settings: Settings, remembered: FetchSessionCache, first_correlation: int = 0
    ) -> None:
        super().__init__(broker_id, settings, first_correlation)
        self._remembered = remembered
        self._asking = FetchSessionHandler(
            FETCHER_TIMER, settings.request_timeout_ms, self._shared.fresh_correlation, self._is_wanted
        )
        self._serving: dict[tuple[NodeId, int], Serving] = {}
        self._flushing: set[TopicPartition] = set()

    def handle(self, happened: Input, now_ms: int) -> list[Effect]:
        """As a replica manager, and what belongs to sessions besides."""
        if self._in_step:
            return self._together(self._on(happened, now_ms))
        self.begin_step()
        return self._together(self._on(happened, now_ms)) + self.end_step()

    def end_step(self) -> list[Effect]:
        """What was asked for in the step leaves together."""
        super().end_step()
        return self._asking.send(late=self._flushing)

    def configure(self, topic_partition: TopicPartition, own: Mapping[str, str]) -> list[Effect]:
        """As a replica manager."""
        return self._together(super().configure(topic_partition, own))

    def close(self, topic_partition: TopicPartition) -> list[Effect]:
        """As a replica manager; who waits for the partition in a session is answered with that."""
        self._flushing.discard(topic_partition)  # nobody flushes what is gone
        return self._together(super().close(topic_partition))

    def _on(self, happened: Input, now_ms: int) -> list[Effect]:
        match happened:
            case Received(sender=sender, correlation=correlation, message=SessionFetchRequest() as request):
                return self._serve(sender, correlation, request, now_ms)
            case Received(sender=sender, correlation=correlation, message=SessionFetchResponse() as response):
                return self._take(sender, correlation, response, now_ms)
            case TimerFired(name=name) if self._asking.on_timer(name):
                return []
            case Disconnected(peer=peer):
                self._asking.lost(peer)
            case Flushed(topic_partition=topic_partition):
                self._flushing.discard(topic_partition)
            case _:
                pass
        return super().handle(happened, now_ms)

    def _take(self, sender: NodeId, correlation: int, response: SessionFetchResponse, now_ms: int) -> list[Effect]:
        """Each follower gets its answer; one that is not named has no news."""
        received = self._asking.answered(sender, correlation, response)
        if received is None:
            return []
        effects: list[Effect] = [self._asking.guard(sender)]
        for each in received:
            effects += super().handle(each, now_ms)
        return effects

    def _serve(self, sender: NodeId, correlation: int, request: SessionFetchRequest, now_ms: int) -> list[Effect]:
        """Have each partition of the session read, until there is enough."""
        asked = {_key(each): each for each in request.fetches}
        fetching = self._remembered.begin(
            request.session_id,
            request.session_epoch,
            asked,
            [(topic, b"", partition) for topic, partition in request.forgotten],
            uses_ids=False,
            is_privileged=any(each.replica_id != NO_NODE for each in request.fetches),
        )
        if fetching.error:
            return _refuse(sender, correlation, request.session_id, fetching.error)
        if not fetching.wanted:
            return [Send(sender, SessionFetchResponse(), correlation)]
        serving = self._serving[sender, correlation] = Serving(fetching)
        effects: list[Effect] = []
        for each in fetching.wanted.values():
            if serving.given_bytes >= RESPONSE_BYTES_MAX:
                break
            received = Received(sender=sender, correlation=correlation, message=each)
            effects += self._intercept(super().handle(received, now_ms))
        return effects

    def _together(self, effects: Iterable[Effect]) -> list[Effect]:
        """Answer what has news for somebody; what is asked for waits for the end of the step."""
        kept = self._intercept(effects)
        for sender, correlation in [at for at, serving in self._serving.items() if serving.answers]:
            kept += self._finish(sender, correlation)
        return kept

    def _intercept(self, effects: Iterable[Effect]) -> list[Effect]:
        """Take out what belongs to a session: fetches that leave, and answers to one partition."""
        kept: list[Effect] = []
        for effect in self._asking.gather(effects, self._goes_alone):
            if type(effect) is Send and type(effect.message) is FetchResponse:
                serving = self._serving.get((effect.target, effect.correlation))
                if serving is not None:
                    serving.note(effect.message)
                    continue
            if type(effect) is Flush:
                self._flushing.add(effect.topic_partition)
            kept.append(effect)
        return kept

    def _finish(self, sender: NodeId, correlation: int) -> list[Effect]:
        """Something is there, or the wait is over: all others are answered with what there is."""
        serving = self._serving[sender, correlation]
        fetching, effects = serving.fetching, list[Effect]()
        for key in [key for key in fetching.wanted if key not in serving.answers]:
            state = self._replicas.get(TopicPartition(key[0], key[2]))
            if state is not None:
                effects += self._intercept(waiting_fetches.answer_now(self._begin(state), sender, correlation))
            if key not in serving.answers and fetching.epoch == INITIAL_EPOCH:
                serving.note(FetchResponse(topic=key[0], partition=key[2]))
        del self._serving[sender, correlation]
        error, number, keys = fetching.finish(serving.answers)
        if error:
            return [*effects, *_refuse(sender, correlation, number, error)]
        if fetching.epoch == INITIAL_EPOCH and number:
            opened = FetchSessionOpened(
                fetcher=sender,
                session_id=number,
                partitions=len(fetching.wanted),
                is_follower=fetching.is_privileged,
            )
            effects.append(Emit(opened))
        answers = tuple(serving.answers[key].response for key in keys)
        return [*effects, Send(sender, SessionFetchResponse(session_id=number, answers=answers), correlation)]

    def _is_wanted(self, correlation: int) -> bool:
        where = self._shared.asked.get(correlation)
        state = None if where is None else self._replicas.get(where)
        return state is not None and state.fetch_correlation == correlation

    def _goes_alone(self, request: FetchRequest) -> bool:
        """By majority a fetch asks for more than a session remembers: where the leader's epoch begins."""
        state = self._replicas.get(TopicPartition(request.topic, request.partition))
        return state is None or state.by_majority


def _refuse(sender: NodeId, correlation: int, session_id: int, error: ErrorCode) -> list[Effect]:
    """Nothing is read; who asked begins anew with a full fetch."""
    refused = FetchSessionRefused(fetcher=sender, session_id=session_id, error=error)
    return [Emit(refused), Send(sender, SessionFetchResponse(error=error), correlation)]
