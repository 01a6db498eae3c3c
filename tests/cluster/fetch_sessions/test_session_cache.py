"""What a broker remembers of consumers that fetch in sessions."""

from __future__ import annotations

import pytest

from cluster.fetch_sessions import session_cache
from cluster.fetch_sessions.session_cache import (
    EPOCH_MAX,
    EVICTION_MS,
    FINAL_EPOCH,
    INITIAL_EPOCH,
    NO_SESSION,
    Fetching,
    FetchSessionCache,
    PartitionKey,
    next_epoch,
    no_sessions,
)
from cluster.kafka.apis.fetch import EpochEndOffset, FetchPartition, PartitionData
from cluster.model.errors import ErrorCode


class Broker:
    """Sessions, a clock, and answers that have no news unless told otherwise."""

    def __init__(self, slots: int = 3) -> None:
        self.now_ms = 0
        self.sessions = FetchSessionCache(slots, "start-1", lambda: self.now_ms)

    def begin(
        self, number: int, epoch: int, *indexes: int, forgotten: tuple[int, ...] = (), offset: int = 0,
        uses_ids: bool = False, is_privileged: bool = False,
    ) -> Fetching:  # fmt: skip
        wanted = {key(index): FetchPartition(index, fetch_offset=offset) for index in indexes}
        return self.sessions.begin(
            number, epoch, wanted, map(key, forgotten), uses_ids=uses_ids, is_privileged=is_privileged
        )

    def full(self, *indexes: int, is_privileged: bool = False) -> int:
        """A full fetch that wants a session; its number."""
        error, number, told = answer(self.begin(NO_SESSION, INITIAL_EPOCH, *indexes, is_privileged=is_privileged))
        assert (error, told) == (ErrorCode.NONE, list(indexes)), "a full fetch is answered in full"
        return number


def key(index: int) -> PartitionKey:
    return "orders", bytes(16), index


def answer(fetching: Fetching, **news: PartitionData) -> tuple[ErrorCode, int, list[int]]:
    """Every partition with high watermark 5 and no records, but for what is given as p0, p1 and so on."""
    found = {
        where: news.get(f"p{where[2]}") or PartitionData(where[2], 0, 5, log_start_offset=0)
        for where in fetching.wanted
    }
    error, number, told = fetching.finish(found)
    return error, number, [index for _, _, index in told]


def test_a_full_fetch_opens_a_session_and_the_next_one_names_only_what_changed() -> None:
    broker = Broker()
    number = broker.full(0, 1, 2)
    assert number > 0
    fetching = broker.begin(number, 1, 1, offset=7)
    assert [(where[2], asked.fetch_offset) for where, asked in fetching.wanted.items()] == [(0, 0), (1, 7), (2, 0)]
    assert answer(fetching) == (ErrorCode.NONE, number, []), "nothing has changed, so nothing is told"
    assert broker.begin(number, 2).error == ErrorCode.NONE


def test_news_are_told_once_and_records_always() -> None:
    broker = Broker()
    number = broker.full(0, 1, 2)
    more = PartitionData(1, 0, 6, log_start_offset=0)
    assert answer(broker.begin(number, 1), p1=more)[2] == [1]
    assert answer(broker.begin(number, 2), p1=more)[2] == []
    given = PartitionData(1, 0, 6, log_start_offset=0, records=b"batch")
    assert answer(broker.begin(number, 3), p1=given)[2] == [1]
    assert answer(broker.begin(number, 4), p1=given)[2] == [1]
    begun = PartitionData(0, 0, 5, log_start_offset=2)
    assert answer(broker.begin(number, 5), p0=begun, p1=more)[2] == [0]
    elsewhere = PartitionData(2, 0, 5, log_start_offset=0, preferred_read_replica=3)
    assert answer(broker.begin(number, 6), p0=begun, p1=more, p2=elsewhere)[2] == [2]


def test_an_error_is_told_each_time_and_so_is_its_end() -> None:
    broker = Broker()
    number = broker.full(0, 1)
    bad = PartitionData(1, ErrorCode.NOT_LEADER_OR_FOLLOWER, -1, log_start_offset=0)
    assert answer(broker.begin(number, 1), p1=bad)[2] == [1]
    assert answer(broker.begin(number, 2), p1=bad)[2] == [1]
    assert answer(broker.begin(number, 3))[2] == [1]
    assert answer(broker.begin(number, 4))[2] == []


def test_the_end_of_an_error_is_told_whatever_the_error_said_of_the_high_watermark() -> None:
    for high_watermark in (5, -1):
        broker = Broker()
        number = broker.full(0)
        bad = PartitionData(0, ErrorCode.NOT_LEADER_OR_FOLLOWER, high_watermark, log_start_offset=0)
        answer(broker.begin(number, 1), p0=bad)
        healed = PartitionData(0, 0, max(0, high_watermark), log_start_offset=0)
        assert answer(broker.begin(number, 2), p0=healed)[2] == [0]


def test_a_log_that_leaves_the_leaders_and_a_replica_to_read_from_are_told_each_time() -> None:
    elsewhere = PartitionData(0, 0, 5, log_start_offset=0, preferred_read_replica=0)
    leaves = PartitionData(0, 0, 5, log_start_offset=0, diverging_epoch=EpochEndOffset(2, 4))
    for news in (elsewhere, leaves):
        broker = Broker()
        number = broker.full(0)
        assert [answer(broker.begin(number, epoch), p0=news)[2] for epoch in (1, 2)] == [[0], [0]]


def test_who_was_told_other_news_than_records_keeps_its_place() -> None:
    broker = Broker()
    number = broker.full(0, 1)
    assert answer(broker.begin(number, 1), p0=PartitionData(0, 0, 6, log_start_offset=0))[2] == [0]
    assert [where[2] for where in broker.begin(number, 2).wanted] == [0, 1]


def test_who_was_given_records_is_served_last_the_next_time() -> None:
    broker = Broker()
    number = broker.full(0, 1, 2)
    answer(broker.begin(number, 1), p0=PartitionData(0, 0, 5, log_start_offset=0, records=b"batch"))
    assert [where[2] for where in broker.begin(number, 2).wanted] == [1, 2, 0]


def test_partitions_come_and_go_and_a_session_without_any_is_over() -> None:
    broker = Broker()
    number = broker.full(0, 1)
    assert [where[2] for where in broker.begin(number, 1, 2, forgotten=(0,)).wanted] == [1, 2]
    last = broker.begin(number, 2, forgotten=(1, 2, 9))
    assert (last.wanted, answer(last)) == ({}, (ErrorCode.NONE, NO_SESSION, []))
    assert broker.begin(number, 3).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_a_wrong_session_or_epoch_is_refused_and_changes_nothing() -> None:
    broker = Broker()
    number = broker.full(0, 1)
    assert broker.begin(number + 1, 1, 5).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert broker.begin(NO_SESSION, 1, 5).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    for epoch in (2, 7, -2, EPOCH_MAX):
        assert broker.begin(number, epoch, 5).error == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert broker.begin(number, 1, 5, uses_ids=True).error == ErrorCode.FETCH_SESSION_TOPIC_ID_ERROR
    assert len(broker.sessions) == 1
    assert [where[2] for where in broker.begin(number, 1).wanted] == [0, 1]


def test_a_full_fetch_ends_the_session_that_it_names() -> None:
    for epoch, left in ((INITIAL_EPOCH, 1), (FINAL_EPOCH, 0)):
        broker = Broker()
        number = broker.full(0)
        error, other, _ = answer(broker.begin(number, epoch, 0))
        assert (error, bool(other), len(broker.sessions)) == (ErrorCode.NONE, bool(left), left)
        assert broker.begin(number, 1).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_of_two_answers_to_one_epoch_the_late_one_is_refused() -> None:
    broker = Broker()
    number = broker.full(0)
    first = broker.begin(number, 1)
    second = broker.begin(number, 2)
    assert answer(first)[0] == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    assert answer(second)[0] == ErrorCode.NONE


def test_when_all_slots_are_taken_a_full_fetch_gets_no_session() -> None:
    broker = Broker(slots=2)
    first, second = broker.full(0), broker.full(0)
    assert broker.full(0, 1, 2) == NO_SESSION, "those that are there are young and in use"
    assert len(broker.sessions) == 2
    broker.now_ms = EVICTION_MS
    answer(broker.begin(second, 1))
    broker.now_ms += 1
    third = broker.full(0)
    assert third > 0
    assert broker.begin(first, 1).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND, "the one unused longest is gone"


def test_two_minutes_are_safe_to_the_last_millisecond() -> None:
    for is_used in (True, False):
        broker = Broker(slots=1)
        number = broker.full(0)
        broker.now_ms = EVICTION_MS
        if is_used:
            answer(broker.begin(number, 1))
        assert broker.full(0, 1) == NO_SESSION
        broker.now_ms += 1
        assert broker.full(0, 1) > 0


def test_an_old_session_gives_way_to_one_with_more_partitions() -> None:
    broker = Broker(slots=2)
    small, large = broker.full(0), broker.full(0, 1, 2, 3)
    broker.now_ms = EVICTION_MS + 1
    for number in (small, large):
        answer(broker.begin(number, 1))
    assert broker.full(0) == NO_SESSION, "as many partitions are not more"
    assert broker.full(0, 1) > 0
    assert broker.begin(small, 2).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert broker.begin(large, 2).error == ErrorCode.NONE


def test_nobody_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_cache, "PARTITIONS_MAX", 10)
    broker = Broker()
    assert broker.full(*range(11)) == NO_SESSION
    number = broker.full(*range(10))
    assert broker.full(0) == NO_SESSION
    assert broker.begin(number, 1, 10).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert len(broker.sessions) == 0


def test_a_follower_takes_the_slot_of_a_consumer_at_once_and_the_smallest_one() -> None:
    broker = Broker(slots=2)
    large, small = broker.full(0, 1, 2), broker.full(0, 1)
    follower = broker.full(0, is_privileged=True)
    assert follower > 0
    assert broker.begin(small, 1).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND
    assert broker.begin(large, 1).error == ErrorCode.NONE
    assert broker.full(0, is_privileged=True) > 0
    assert broker.full(0, 1, 2, is_privileged=True) == NO_SESSION, "a young one of a follower stays"


def test_no_consumer_takes_the_slot_of_a_follower_and_a_larger_one_does_when_it_is_old() -> None:
    broker = Broker(slots=1)
    first = broker.full(0, is_privileged=True)
    broker.now_ms = EVICTION_MS
    answer(broker.begin(first, 1))
    broker.now_ms += 1
    assert broker.full(0, 1, 2) == NO_SESSION
    assert broker.full(0, is_privileged=True) == NO_SESSION, "no larger than the one that is there"
    assert broker.full(0, 1, is_privileged=True) > 0
    assert broker.begin(first, 2).error == ErrorCode.FETCH_SESSION_ID_NOT_FOUND


def test_without_slots_there_are_no_sessions() -> None:
    assert Broker(slots=0).full(0) == NO_SESSION
    assert no_sessions().begin(NO_SESSION, INITIAL_EPOCH, {}, (), uses_ids=False).finish({})[1] == NO_SESSION


def test_another_start_of_the_broker_gives_other_numbers() -> None:
    given = [FetchSessionCache(3, start, lambda: 0) for start in ("a", "b")]
    numbers = {sessions.begin(NO_SESSION, INITIAL_EPOCH, {}, (), uses_ids=False).finish({})[1] for sessions in given}
    assert len(numbers) == 2
    assert all(0 < number <= EPOCH_MAX for number in numbers)


def test_a_number_is_never_that_of_no_session_nor_one_that_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter((NO_SESSION, 7, 7, NO_SESSION, 8))
    monkeypatch.setattr(session_cache, "crc32", lambda _text: next(drawn))
    broker = Broker()
    assert [broker.full(0), broker.full(0)] == [7, 8]


def test_epochs_begin_again_at_one() -> None:
    assert [next_epoch(epoch) for epoch in (0, 1, EPOCH_MAX)] == [1, 2, 1]
