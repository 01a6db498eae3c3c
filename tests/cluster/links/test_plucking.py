"""One message is taken out of its stream: which, once, and what becomes of it. Node 1 talks to node 2."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import NEXT, CutLink, Direction, PluckedMessage
from cluster.links.frame import Frame
from cluster.links.vocabulary import (
    Closed,
    Connected,
    Deliver,
    FramesIn,
    Lost,
    RequestOut,
    Reset,
    ResetAsked,
    Tell,
    Write,
)
from cluster.model.events import MessagePlucked, MessageSeen
from cluster.model.messages import ListGroupsRequest
from tests.support.worlds.link_machine import BACK, CUT, Line, One, frame, held, released, was_reset, written


@pytest.fixture
def one() -> One:
    return One()


def rule(fate: str = "drop", number: int = NEXT, delay_ms: int = 0, ends: tuple[int, int] = (1, 2)) -> PluckedMessage:
    return PluckedMessage(
        source=ends[0], target=ends[1], message="MetadataRequest", fate=fate, delay_ms=delay_ms, number=number,
        fault_id=7,
    )  # fmt: skip


def told(fate: str, number: int, ends: tuple[int, int] = (1, 2)) -> Tell:
    plucked = MessagePlucked(
        fault_id=7, source=ends[0], target=ends[1], message="MetadataRequest", fate=fate, correlation=number
    )
    return Tell(plucked, f"pluck {ends[0]}>{ends[1]}")


@pytest.mark.parametrize(
    ("fate", "said"),
    [
        ("drop", [("lost", "it was plucked")]),
        ("hold", [("held", "it was plucked"), ("lost", "fault")]),
        ("pass", []),
    ],
)
def test_whoever_watches_messages_is_told_what_became_of_it(fate: str, said: list[tuple[str, str]]) -> None:
    one = One(observed=True)
    (wanted,) = one.ask(0)
    one.handle(Connected(Line(2), wanted.attempt))
    one.apply(rule(fate))
    one.ask(4)
    one.handle(ResetAsked(2, "fault"))
    messages = [event for event in one.seen if isinstance(event, MessageSeen) and event.correlation == 4]
    assert [(seen.fate, seen.why) for seen in messages if seen.fate in ("lost", "held")] == said


# The next one.


def test_the_next_of_its_kind_is_dropped_and_no_other(one: One) -> None:
    line = one.connected()
    one.apply(rule())
    other = Frame(1, 4, ListGroupsRequest())
    assert one.handle(RequestOut(2, other)) == [Write(line, other)]
    assert one.ask(8) == [told("drop", 8)]
    assert one.ask(12) == written(line, 12)
    one.apply(rule(), CutLink(source=1, target=3))
    assert one.ask(16) == written(line, 16), "the same rule told again has had its message"


def test_what_arrives_is_no_next_one(one: One) -> None:
    line = one.accepted()
    one.apply(rule(ends=(2, 1)))
    frames = [frame(4, sender=2)]
    assert one.handle(FramesIn(line, frames)) == [Deliver(frames)]


def test_a_message_that_is_held_waits_for_heal_and_goes_behind_the_others(one: One) -> None:
    line = one.connected()
    one.apply(rule("hold"))
    assert one.ask(4) == [told("hold", 4)]
    assert one.ask(8) == written(line, 8)
    assert one.after(100_000) == [], "no patience ends it"
    assert one.links.traffic.keeps(Direction(1, 2), "MetadataRequest", 4) and not one.links.traffic.keeps(
        Direction(2, 1), "x", 4
    )
    assert one.apply() == written(line, 4)


def test_one_that_is_let_go_while_the_way_is_cut_waits_for_the_cut(one: One) -> None:
    line = one.connected()
    one.apply(rule("hold"))
    one.ask(4)
    assert one.apply(CUT) == [held(1, 2)]
    assert one.apply() == [released(1, 2, 1), *written(line, 4)]


def test_a_late_one_leaves_when_its_time_has_come_whatever_is_healed_meanwhile(one: One) -> None:
    line = one.connected()
    one.apply(rule("delay", delay_ms=200))
    assert one.ask(4) == [told("delay", 4)]
    one.apply()
    assert one.after(199) == []
    assert one.after(1) == written(line, 4)


def test_one_passes_a_cut(one: One) -> None:
    line = one.connected()
    one.apply(CUT, rule("pass"))
    assert one.ask(4) == [told("pass", 4), *written(line, 4)]
    assert one.ask(8) == [held(1, 2)]


# The one that is meant.


def test_the_one_with_the_number_is_taken_where_it_arrives(one: One) -> None:
    line = one.accepted()
    one.apply(rule(number=8, ends=(2, 1)))
    frames = [frame(4, sender=2), frame(8, sender=2), frame(12, sender=2)]
    plucked, rest = one.handle(FramesIn(line, frames))
    assert plucked == told("drop", 8, (2, 1)) and rest == Deliver([frames[0], frames[2]])
    assert one.handle(FramesIn(line, [frames[1]])) == [Deliver([frames[1]])], "another of that number is not meant"


def test_one_that_arrived_and_is_held_is_given_to_the_process_when_it_heals(one: One) -> None:
    line = one.accepted()
    one.apply(rule("hold", number=8, ends=(2, 1)))
    assert one.handle(FramesIn(line, [frame(8, sender=2)])) == [told("hold", 8, (2, 1))]
    assert one.apply() == [Deliver([frame(8, sender=2)])]


def test_one_whose_connection_has_gone_meanwhile_is_lost(one: One) -> None:
    line = one.accepted()
    one.apply(rule("hold", number=8, ends=(2, 1)))
    one.handle(FramesIn(line, [frame(8, sender=2)]))
    line.is_open = False
    one.handle(Closed(line))
    assert one.apply() == []


def test_one_that_arrives_passes_a_cut_alone(one: One) -> None:
    line = one.accepted()
    one.apply(BACK, rule("pass", number=8, ends=(2, 1)))
    frames = [frame(4, sender=2), frame(8, sender=2)]
    assert one.handle(FramesIn(line, frames)) == [
        told("pass", 8, (2, 1)), Deliver([frames[1]]), held(2, 1),
    ]  # fmt: skip


def test_one_that_a_cut_holds_is_let_through_and_the_others_wait_on(one: One) -> None:
    line = one.connected()
    one.apply(CUT)
    one.ask(4, 8)
    assert one.apply(CUT, rule("pass", number=8)) == [told("pass", 8), *written(line, 8)]
    assert one.apply() == [released(1, 2, 1), *written(line, 4)]


def test_one_that_came_through_a_cut_is_let_through_to_the_process(one: One) -> None:
    line = one.accepted()
    one.apply(BACK)
    frames = [frame(4, sender=2), frame(8, sender=2)]
    one.handle(FramesIn(line, frames))
    meant = rule("pass", number=4, ends=(2, 1))
    assert one.apply(BACK, meant) == [told("pass", 4, (2, 1)), Deliver(frames[:1])]
    assert one.apply() == [released(2, 1, 1), Deliver(frames[1:])]


# The end of a connection.


def test_a_reset_takes_what_is_kept_apart(one: One) -> None:
    line = one.connected()
    one.apply(rule("delay", delay_ms=200))
    one.ask(4)
    assert one.handle(ResetAsked(2, "fault")) == [was_reset(0, "fault"), Reset(line), Lost(2, is_soon=True)]
    assert one.after(1_000) == one.apply() == []


def test_a_request_outlives_its_connection_as_one_that_a_cut_holds(one: One) -> None:
    line = one.connected()
    one.apply(rule("hold"))
    one.ask(4)
    assert one.handle(Closed(line)) == [Lost(2)]
    (wanted,) = one.apply()
    assert one.links.attempt(2) == wanted.attempt
