"""A fetcher gathers what it wants of a leader, names what changed, and takes the answers apart."""

from __future__ import annotations

from cluster.fetch_sessions.session_handler import FETCHES_MAX, FetchSessionHandler
from cluster.model.effects import CancelTimer, Effect, Flush, Send, SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from cluster.model.messages import FetchRequest, FetchResponse, SessionFetchRequest, SessionFetchResponse

LEADER = 1
ID, EPOCH = 77, 1


class Fetcher:
    """One that wants partitions of `orders`, each under the correlation 100 + its number."""

    def __init__(self) -> None:
        self.wanted: set[int] = set()
        self.made = 0
        self.handler = FetchSessionHandler("fetcher.", 500, self._fresh, lambda number: number in self.wanted)

    def _fresh(self) -> int:
        self.made += 1
        return self.made

    def want(self, *offsets: tuple[int, int]) -> list[Effect]:
        """Fetch (partition, offset) each; what leaves."""
        fetches = []
        for partition, offset in offsets:
            self.wanted.add(100 + partition)
            request = FetchRequest(replica_id=2, topic="orders", partition=partition, fetch_offset=offset)
            fetches.append(Send(LEADER, request, 100 + partition))
        assert not list(self.handler.gather(fetches))
        return self.handler.send()

    def answer(
        self, *told: FetchResponse, session_id: int = ID, error: ErrorCode = ErrorCode.NONE
    ) -> list[tuple[int, FetchResponse]]:
        """The request on its way is answered; what each owner gets."""
        response = SessionFetchResponse(error=error, session_id=session_id, answers=told)
        received = self.handler.answered(LEADER, self.made, response)
        assert received is not None
        self.wanted -= {each.correlation for each in received}
        return [(each.correlation, as_answer(each.message)) for each in received]


def as_answer(message: object) -> FetchResponse:
    assert isinstance(message, FetchResponse)
    return message


def told(partition: int, high_watermark: int = 5, records: bytes = b"") -> FetchResponse:
    return FetchResponse(topic="orders", partition=partition, high_watermark=high_watermark, records=records)


def request_of(effects: list[Effect]) -> SessionFetchRequest:
    """The one that leaves, with its guard."""
    (sent,) = [effect for effect in effects if isinstance(effect, Send)]
    assert isinstance(sent.message, SessionFetchRequest)
    assert SetTimer("fetcher.1", 500) in effects
    return sent.message


def named(request: SessionFetchRequest) -> list[tuple[int, int]]:
    return [(each.partition, each.fetch_offset) for each in request.fetches]


def test_the_first_fetch_names_all_and_the_next_what_changed() -> None:
    fetcher = Fetcher()
    first = request_of(fetcher.want((0, 3), (1, 0), (2, 9)))
    assert (first.session_id, first.session_epoch, named(first)) == (0, 0, [(0, 3), (1, 0), (2, 9)])
    assert [number for number, _ in fetcher.answer(told(0), told(1), told(2))] == [100, 101, 102]
    second = request_of(fetcher.want((0, 3), (1, 4), (2, 9)))
    assert (second.session_id, second.session_epoch, named(second)) == (ID, EPOCH, [(1, 4)])
    assert second.forgotten == ()
    fetcher.answer()
    third = request_of(fetcher.want((0, 3), (1, 4), (2, 9)))
    assert (third.session_epoch, named(third)) == (EPOCH + 1, [])


def test_who_is_not_named_in_the_answer_hears_what_was_told_last_without_its_records() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0, 5, b"batch"), told(1, 7))
    fetcher.want((0, 0), (1, 0))
    answers = fetcher.answer(told(1, 8))
    assert answers == [(100, told(0, 5)), (101, told(1, 8))]


def test_after_an_error_nothing_is_made_up() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    bad = FetchResponse(topic="orders", partition=0, error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert fetcher.answer(bad, told(1))[0] == (100, bad)
    fetcher.want((0, 0), (1, 0))
    assert fetcher.answer() == [(101, told(1))], "the broker tells an error each time, so silence is none"


def test_what_was_told_before_an_error_holds_no_more() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0), told(1))
    fetcher.want((0, 0), (1, 0))
    bad = FetchResponse(topic="orders", partition=0, error=ErrorCode.NOT_LEADER_OR_FOLLOWER)
    assert fetcher.answer(bad) == [(100, bad), (101, told(1))]
    fetcher.want((0, 0), (1, 0))
    assert fetcher.answer() == [(101, told(1))]


def test_what_was_told_before_a_partition_was_forgotten_holds_no_more() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0), told(1))
    fetcher.want((1, 0))
    fetcher.answer()
    fetcher.want((0, 0), (1, 0))
    assert fetcher.answer() == [(101, told(1))]


def test_what_is_not_wanted_is_forgotten_and_new_when_it_comes_back() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0), told(1))
    request = request_of(fetcher.want((1, 0)))
    assert (named(request), request.forgotten) == ([], (("orders", 0),))
    fetcher.answer()
    request = request_of(fetcher.want((0, 0), (1, 0)))
    assert (named(request), request.forgotten) == ([(0, 0)], ())


def test_one_request_is_on_its_way_at_a_time() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    assert fetcher.want((1, 4)) == []
    fetcher.answer(told(0))
    assert named(request_of(fetcher.want((0, 0)))) == [(1, 4)], "partition 0 is known already"


def test_what_its_owner_has_given_up_does_not_leave() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    fetcher.want((1, 4))
    fetcher.answer(told(0))
    fetcher.wanted.clear()
    assert fetcher.handler.send() == []


def test_of_two_that_wait_only_the_one_whose_owner_still_wants_it_leaves() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    fetcher.want((1, 4), (2, 6))
    fetcher.answer(told(0))
    fetcher.wanted.remove(101)
    assert named(request_of(fetcher.handler.send())) == [(2, 6)]


def test_who_was_asked_nothing_is_heard_by_nobody_and_a_connection_without_a_request_ends_no_session() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    assert fetcher.handler.answered(9, fetcher.made, SessionFetchResponse(session_id=ID)) is None
    fetcher.answer(told(0))
    fetcher.handler.lost(LEADER)
    request = request_of(fetcher.want((0, 2)))
    assert (request.session_id, request.session_epoch, named(request)) == (ID, EPOCH, [(0, 2)])


def test_a_session_waits_for_a_partition_whose_fetch_is_about_to_come() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0), told(1))
    flushing = {TopicPartition("orders", 0)}
    fetcher.handler.gather([])
    fetcher.wanted.add(101)
    waiting = Send(LEADER, FetchRequest(replica_id=2, topic="orders", partition=1, fetch_offset=1), 101)
    assert not list(fetcher.handler.gather([waiting]))
    assert fetcher.handler.send(late=flushing) == []
    assert named(request_of(fetcher.handler.send(late={TopicPartition("other", 0)}))) == [(1, 1)]


def test_a_session_that_is_not_known_is_begun_anew_at_once() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0), (1, 0))
    fetcher.answer(told(0), told(1))
    fetcher.want((0, 0), (1, 6))
    assert fetcher.answer(session_id=0, error=ErrorCode.FETCH_SESSION_ID_NOT_FOUND) == []
    request = request_of(fetcher.handler.send())
    assert (request.session_id, request.session_epoch, named(request)) == (0, 0, [(0, 0), (1, 6)])
    assert [number for number, _ in fetcher.answer(told(0), told(1))] == [100, 101], "as their owners know them"


def test_a_request_out_of_turn_ends_the_session_by_name() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    fetcher.answer(told(0))
    fetcher.want((0, 1))
    fetcher.answer(session_id=0, error=ErrorCode.INVALID_FETCH_SESSION_EPOCH)
    request = request_of(fetcher.handler.send())
    assert (request.session_id, request.session_epoch, named(request)) == (ID, 0, [(0, 1)])


def test_without_a_slot_each_fetch_is_full() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    fetcher.answer(told(0), session_id=0)
    request = request_of(fetcher.want((0, 0)))
    assert (request.session_id, request.session_epoch, named(request)) == (0, 0, [(0, 0)])


def test_a_lost_connection_and_a_late_answer_begin_a_full_fetch() -> None:
    for is_timer in (True, False):
        fetcher = Fetcher()
        fetcher.want((0, 0))
        fetcher.answer(told(0))
        fetcher.want((0, 2))
        if is_timer:
            assert not fetcher.handler.on_timer("another.1")
            assert fetcher.handler.on_timer("fetcher.1")
        else:
            fetcher.handler.lost(9)
            fetcher.handler.lost(LEADER)
        response = SessionFetchResponse(session_id=ID, answers=(told(0),))
        assert fetcher.handler.answered(LEADER, fetcher.made, response) is None, "nobody waits for it now"
        request = request_of(fetcher.want((0, 2)))
        assert (request.session_id, request.session_epoch, named(request)) == (ID, 0, [(0, 2)])


def test_what_is_no_fetch_and_what_goes_alone_passes() -> None:
    fetcher = Fetcher()
    alone = Send(LEADER, FetchRequest(replica_id=2, topic="majority", partition=0, fetch_offset=0), 5)
    flush = Flush(TopicPartition("orders", 0))
    answered = Send(LEADER, told(0), 6)
    passed = list(fetcher.handler.gather([alone, flush, answered], lambda request: request.topic == "majority"))
    assert passed == [alone, flush, answered]
    assert fetcher.handler.guard(LEADER) == CancelTimer("fetcher.1")


def test_more_than_fits_one_request_goes_by_itself() -> None:
    fetcher = Fetcher()
    effects = fetcher.want(*((partition, 0) for partition in range(FETCHES_MAX + 2)))
    sent = [effect.message for effect in effects if isinstance(effect, Send)]
    assert [type(message) for message in sent] == [FetchRequest, FetchRequest, SessionFetchRequest]


def test_who_ends_has_its_session_forgotten_and_waits_for_nothing() -> None:
    fetcher = Fetcher()
    fetcher.want((0, 0))
    assert fetcher.handler.close() == [CancelTimer("fetcher.1")], "no session yet: nothing to forget"
    fetcher.want((0, 0))
    fetcher.answer(told(0))
    request = SessionFetchRequest(session_id=ID, session_epoch=-1)
    assert fetcher.handler.close() == [Send(LEADER, request, fetcher.made)]
    assert fetcher.handler.close() == []
