"""Messages on their way, folded from what nodes tell of them. Times are in milliseconds here."""

from __future__ import annotations

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model import events as ev
from cluster.model.entry import Entry, EventId
from cluster.picture.cluster_state import ClusterState
from cluster.picture.flights import FLIGHTS_MAX, HELD_AT, LOST_AT, SHOWN_NS, Flight
from cluster.simulation.world.cluster import SimulatedCluster
from tests.support.traces.seen import MS, Seen


@pytest.fixture
def seen() -> Seen:
    return Seen()


def test_a_message_flies_from_where_it_left_until_it_was_delivered(seen: Seen) -> None:
    left = seen.vote(10, "left")
    (flight,) = seen.state.flights.on_link(101, 102)
    assert (flight.fate, flight.told_by) == ("left", left.id)
    arrived = seen.vote(510, "delivered", 510, node=102)
    (flight,) = seen.state.flights.on_link(101, 102)
    assert (flight.fate, flight.told_by) == ("delivered", arrived.id)
    assert [flight.position(at * MS) for at in (0, 10, 260, 510, 900)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    assert [flight.is_shown(at * MS) for at in (9, 10, 510, 660, 661)] == [False, True, True, True, False]
    assert seen.state.flights.on_link(102, 101) == ()


def test_a_fast_message_is_drawn_slower(seen: Seen) -> None:
    seen.vote(11, "delivered", 11)
    (flight,) = seen.state.flights.on_link(101, 102)
    assert flight.position(10 * MS + SHOWN_NS // 2) == 0.5
    assert flight.is_shown(210 * MS) and not flight.is_shown(500 * MS)


def test_a_lost_message_does_not_arrive_and_a_held_one_waits_half_way(seen: Seen) -> None:
    seen.vote(10, "held", why="cut")
    (flight,) = seen.state.flights.on_link(101, 102)
    assert flight.position(10_000 * MS) == HELD_AT and flight.is_shown(10_000 * MS) and not flight.is_lost
    seen.vote(90, "lost", 90, why="reset")
    (flight,) = seen.state.flights.on_link(101, 102)
    assert flight.position(10_000 * MS) == LOST_AT and flight.is_lost and flight.why == "reset"


def test_a_request_that_was_delivered_is_not_lost_because_nobody_answered(seen: Seen) -> None:
    seen.vote(12, "delivered", 12, node=102)
    seen.vote(400, "unanswered", 400)
    (flight,) = seen.state.flights.on_link(101, 102)
    assert flight.fate == "delivered"


def test_a_request_that_is_sent_again_is_another_flight(seen: Seen) -> None:
    seen.vote(10, "left")
    seen.vote(180, "left", left_ms=180)
    assert [flight.left_ns // MS for flight in seen.state.flights.on_link(101, 102)] == [10, 180]


def test_a_sample_of_frequent_messages_flies_and_a_message_told_singly_flies_once(seen: Seen) -> None:
    entry = seen.fetches(0, 250, 5)
    (flight,) = seen.state.flights.on_link(102, 103)
    assert (flight.left_ns, flight.ended_ns, flight.is_sample) == (1 * MS, 2 * MS, True)
    assert flight.number("offset") == 9 and flight.number("epoch") == -1 and flight.told_by == entry.id
    single = ev.MessageSeen(source=102, target=103, message="FetchRequest", is_answer=False, fate="delivered",
                            left_ns=251 * MS, ended_ns=252 * MS, correlation=8)  # fmt: skip
    seen.tell(252, 103, single)
    seen.fetches(250, 500, 3)
    assert [item.left_ns // MS for item in seen.state.flights.on_link(102, 103)] == [1, 251]


def test_a_message_whose_end_is_only_counted_does_not_fly_for_ever(seen: Seen) -> None:
    for left_ms in (251, 200, 300):
        single = ev.MessageSeen(source=102, target=103, message="FetchRequest", is_answer=False, fate="left",
                                left_ns=left_ms * MS, correlation=left_ms)  # fmt: skip
        seen.tell(left_ms, 102, single)
    seen.fetches(250, 500, 3)
    flights = seen.state.flights.on_link(102, 103)
    assert [(item.left_ns // MS, item.fate) for item in flights] == [(251, "delivered"), (300, "left")]
    assert [item.left_ns // MS for item in seen.state.flights.shown(9_000 * MS)] == [300]
    seen.tell(9_000, 0, ev.ProcessExited(node_id=102, incarnation_number=0, exit_code=-9, expected=True))
    assert not seen.state.flights.shown(9_000 * MS), "nobody may ever tell of it"


def test_rates_count_the_last_second_and_fall_when_nothing_comes(seen: Seen) -> None:
    for quarter in range(8):
        seen.fetches(quarter * 250, quarter * 250 + 250, 5 if quarter < 4 else 10)
    assert seen.state.flights.rate(102, 103) == 40.0
    assert seen.state.flights.rates(102, 103) == {"FetchRequest": 40.0}
    seen.fetches(2000, 2250, 0)
    assert seen.state.flights.rate(102, 103) == 30.0
    assert seen.state.flights.rate(103, 102) == 0.0


def test_a_link_of_which_nobody_tells_any_more_has_no_rate(seen: Seen) -> None:
    seen.fetches(0, 250, 5)
    seen.fetches(3_500, 3_750, 5, source=101, node=102)
    assert seen.state.flights.rate(102, 103) == 0.0 and seen.state.flights.rate(101, 102) == 20.0


def test_what_waits_is_known_until_its_node_ends(seen: Seen) -> None:
    waits = ev.TrafficSeen(since_ns=0, until_ns=250 * MS, held=((1, 2, 3, 200),), unanswered=((103, 2, 90),))
    seen.tell(250, 1, waits)
    assert seen.state.flights.held(1, 2) == (3, 200)
    assert seen.state.flights.unanswered(1, 103) == (2, 90)
    seen.tell(300, 0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=-9, expected=True))
    assert seen.state.flights.held(1, 2) == seen.state.flights.unanswered(1, 103) == (0, 0)


def test_the_newest_flights_are_kept(seen: Seen) -> None:
    for number in range(FLIGHTS_MAX + 5):
        seen.vote(10 * number, "left", left_ms=10 * number + 10)
        seen.fetches(250 * number, 250 * number + 250, 1)
    flights = seen.state.flights
    assert len(flights.on_link(101, 102)) == FLIGHTS_MAX == len(flights.on_link(102, 103))
    assert flights.on_link(101, 102)[-1].left_ns == (FLIGHTS_MAX + 5) * 10 * MS


def test_a_copy_of_the_picture_keeps_its_flights(seen: Seen) -> None:
    seen.vote(10, "left")
    past = seen.state.copy()
    seen.vote(12, "delivered", 12)
    assert past.flights.on_link(101, 102)[0].fate == "left"
    assert seen.state.flights.on_link(101, 102)[0].fate == "delivered"


def test_what_is_shown_at_a_time_is_in_the_order_in_which_it_left(seen: Seen) -> None:
    seen.vote(300, "delivered", 300, left_ms=299)
    seen.fetches(250, 500, 2)
    shown = seen.state.flights.shown(320 * MS)
    assert [flight.message for flight in shown] == ["FetchRequest", "VoteRequest"]
    assert seen.state.flights.shown(5_000 * MS) == []


def says(entry: Entry, flight: Flight) -> bool:
    """Whether this event tells of that flight."""
    match entry.event:
        case ev.MessageSeen() as seen:
            way = seen.source, seen.target, seen.message, seen.left_ns, seen.ended_ns, seen.fate
            return way == flight[:3] + (flight.left_ns, flight.ended_ns, flight.fate)
        case ev.TrafficSeen() as seen:
            rows = [(row[0], entry.node, row[1], row[4], row[5], "delivered") for row in seen.heard]
            return (*flight[:3], flight.left_ns, flight.ended_ns, flight.fate) in rows
        case _:
            return False


def test_every_flight_of_an_election_has_an_event_behind_it_and_the_vote_requests_are_among_them() -> None:
    cluster, told, state = SimulatedCluster(ClusterSpec(seed=3)), dict[EventId, Entry](), ClusterState()
    cluster.recording.readers += [lambda entries: told.update((entry.id, entry) for entry in entries), state.apply_all]
    cluster.begin()
    cluster.advance(3)
    cluster.recording.catch_up()
    leader, before_ns = state.quorum_leader, cluster.kernel.now_ns
    cluster.processes[leader].end(-9)
    cluster.advance(2)
    cluster.recording.catch_up()
    nodes = sorted(state.nodes)
    flights = [flight for one in nodes for other in nodes for flight in state.flights.on_link(one, other)]
    assert flights and all(says(told[flight.told_by], flight) for flight in flights)
    votes = [flight for flight in flights if flight.message == "VoteRequest" and flight.left_ns > before_ns]
    assert {flight.fate for flight in votes} >= {"delivered", "lost"}, "asked of the living and of the dead"
    assert state.quorum_leader not in (leader, -1)
    assert [timer.name for timer in state.timers.of(state.quorum_leader)] == ["check_quorum"]
