"""What a broker remembers of all that fetch in sessions: each then says, and is told, only what has changed.

Nothing of it is lost with the memory: who has a session that is not known begins anew with a full fetch.
Source: KIP-227; Kafka FetchSession, FetchSessionCacheShard.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeAlias
from zlib import crc32

from msgspec import Struct, field

from cluster.model.errors import ErrorCode

NO_SESSION: Final = 0
FINAL_EPOCH, INITIAL_EPOCH = -1, 0
"""A full fetch without a session, and one that wants a session."""
EPOCH_MAX = (1 << 31) - 1
EVICTION_MS = 120_000
"""A session that was not used for so long may go, and one that was made so long ago for one with more partitions."""
PARTITIONS_MAX = 100_000
"""Remembered in all sessions together, so that no stranger fills the memory. Kafka has no such bound."""
PartitionKey: TypeAlias = tuple[str, bytes, int]
"""Name of a topic, or its id in versions that have ids, and the index of the partition."""


class _Cached(Struct):
    """One partition of a session."""

    asked: Any
    """Where it is read, as was said last."""
    high_watermark: int = -1
    """As it was told last; -1 after an error, so that the end of that is told too."""
    log_start_offset: int = -1
    """As it was told last."""

    def must_tell(self, answer: Any) -> bool:
        """Whether this answer has news for who fetches; it counts as told then."""
        has_news = bool(
            answer.records
            or answer.error_code
            or answer.diverging_epoch is not None
            or answer.preferred_read_replica >= 0
            or (self.high_watermark, self.log_start_offset) != (answer.high_watermark, answer.log_start_offset)
        )
        self.high_watermark = -1 if answer.error_code else answer.high_watermark
        self.log_start_offset = answer.log_start_offset
        return has_news


class _Session(Struct):
    """One fetcher's with this broker."""

    number: int
    uses_ids: bool
    is_privileged: bool
    """A follower's: it takes the slot of a consumer whenever there is no other."""
    created_ms: int
    used_ms: int
    epoch: int
    """Of the next request."""
    partitions: dict[PartitionKey, _Cached] = field(default_factory=dict)
    """In the order in which they are served: who was given records goes to the end."""


class Fetching(Struct):
    """One fetch: what is to be read for it, and what of the answers is told."""

    wanted: dict[PartitionKey, Any]
    """Where to read, in the order in which to serve."""
    error: ErrorCode = ErrorCode.NONE
    """Why nothing is read; no session has changed then."""
    epoch: int = FINAL_EPOCH
    """Of the request."""
    uses_ids: bool = False
    is_privileged: bool = False
    """A follower asks: it takes the slot of a consumer when there is no other."""
    sessions: FetchSessionCache | None = None
    session: _Session | None = None
    """Of a fetch that goes on with one."""

    def finish(self, answers: Mapping[PartitionKey, Any]) -> tuple[ErrorCode, int, list[PartitionKey]]:
        """Error, session and which partitions are told, once all are read."""
        session = self.session
        if session is None:
            number = NO_SESSION
            if self.sessions is not None and self.epoch == INITIAL_EPOCH:
                number = self.sessions.open(self, answers)
            return ErrorCode.NONE, number, list(answers)
        if session.epoch != next_epoch(self.epoch):  # it was used again before this answer was there
            return ErrorCode.INVALID_FETCH_SESSION_EPOCH, session.number, []
        keys = []
        for key, answer in answers.items():
            cached = session.partitions[key]
            if cached.must_tell(answer):
                keys.append(key)
                if answer.records:
                    session.partitions[key] = session.partitions.pop(key)
        return ErrorCode.NONE, session.number, keys


class FetchSessionCache:
    """All sessions of one broker."""

    def __init__(self, slots: int, start: str, now_ms: Callable[[], int]) -> None:
        """
        Args:
            slots: as many sessions are remembered at most; 0 for none.
            start: text of this start of the broker alone: the ids of another start must not come again.
            now_ms: a clock that never goes back.
        """
        self._slots, self._start, self._now_ms = slots, start, now_ms
        self._made = 0
        self._sessions: dict[int, _Session] = {}

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._sessions)

    def begin(
        self,
        number: int,
        epoch: int,
        asked_for: dict[PartitionKey, Any],
        forgotten: Iterable[PartitionKey],
        *,
        uses_ids: bool,
        is_privileged: bool = False,
    ) -> Fetching:
        """What a request is about: all that it names, or that and what its session remembers.

        Args:
            number: session id; 0 for none.
            epoch: 0 asks for a session, -1 for none; both end the one that is named. Else it counts the requests.
            forgotten: partitions that leave the session.
            is_privileged: a follower asks.
        """
        if epoch in (INITIAL_EPOCH, FINAL_EPOCH):
            self._sessions.pop(number, None)
            return Fetching(asked_for, ErrorCode.NONE, epoch, uses_ids, is_privileged, self)
        session = self._sessions.get(number)
        if session is None:
            return Fetching({}, ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        if session.epoch != epoch:
            return Fetching({}, ErrorCode.INVALID_FETCH_SESSION_EPOCH)
        if session.uses_ids != uses_ids:
            return Fetching({}, ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR)
        added = len(asked_for.keys() - session.partitions.keys())
        if added and not self._has_room(added):
            del self._sessions[number]
            return Fetching({}, ErrorCode.FETCH_SESSION_ID_NOT_FOUND)
        for key, asked in asked_for.items():
            session.partitions.setdefault(key, _Cached(asked)).asked = asked
        for key in forgotten:
            session.partitions.pop(key, None)
        if not session.partitions:
            del self._sessions[number]
            return Fetching({})
        session.used_ms, session.epoch = self._now_ms(), next_epoch(epoch)
        remembered = {key: cached.asked for key, cached in session.partitions.items()}
        return Fetching(remembered, ErrorCode.NONE, epoch, uses_ids, is_privileged, self, session)

    def open(self, full: Fetching, answers: Mapping[PartitionKey, Any]) -> int:
        """Remember a full fetch and what it was told; 0 when there is no room."""
        now_ms, count = self._now_ms(), len(full.wanted)
        if not self._has_slot(count, now_ms, is_privileged=full.is_privileged) or not self._has_room(count):
            return NO_SESSION
        next_one = next_epoch(INITIAL_EPOCH)
        session = _Session(self._fresh(), full.uses_ids, full.is_privileged, now_ms, now_ms, next_one)
        for key, asked in full.wanted.items():
            cached = session.partitions[key] = _Cached(asked)
            cached.must_tell(answers[key])
        self._sessions[session.number] = session
        return session.number

    def _has_slot(self, partitions: int, now_ms: int, *, is_privileged: bool) -> bool:
        """A free one, or one whose session may go: the one unused longest, or one that is worth less.

        A follower's is worth more than a consumer's, then the one with more partitions is. Young ones are safe, but for
        consumers' from followers. Source: Kafka FetchSessionCacheShard.tryEvict, EvictableKey.
        """
        if len(self._sessions) < self._slots:
            return True
        if not self._sessions:
            return False
        gone = min(self._sessions.values(), key=lambda each: each.used_ms)
        if now_ms - gone.used_ms <= EVICTION_MS:
            may_go = [
                each
                for each in self._sessions.values()
                if now_ms - each.created_ms > EVICTION_MS or (is_privileged and not each.is_privileged)
            ]
            gone = min(may_go, key=_worth, default=gone)
            if not may_go or (is_privileged, partitions) <= _worth(gone):
                return False
        del self._sessions[gone.number]
        return True

    def _has_room(self, partitions: int) -> bool:
        return partitions + sum(len(each.partitions) for each in self._sessions.values()) <= PARTITIONS_MAX

    def _fresh(self) -> int:
        """Positive, like no other that is remembered, and unlikely to be one of an earlier start."""
        while True:
            self._made += 1
            number = crc32(f"{self._start}/{self._made}".encode()) & EPOCH_MAX
            if number != NO_SESSION and number not in self._sessions:
                return number


def _worth(session: _Session) -> tuple[bool, int]:
    return session.is_privileged, len(session.partitions)


def next_epoch(epoch: int) -> int:
    """Of the request after this one. Source: Kafka FetchMetadata.nextEpoch."""
    return 1 if epoch == EPOCH_MAX else epoch + 1


def no_sessions() -> FetchSessionCache:
    """Of a broker that remembers none."""
    return FetchSessionCache(0, "", lambda: 0)
