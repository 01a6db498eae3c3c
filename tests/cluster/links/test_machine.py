"""What a link machine asks for, input by input. Node 1 talks to node 2; the channels are names."""

from __future__ import annotations

import pytest

from cluster.faults.effects_on_links import CutLink, DelayedLink, UnkindLink, WithheldMessages
from cluster.links.frame import Frame
from cluster.links.machine import ASKED_MAX, BACKOFF_MS, QUEUED_MAX
from cluster.links.vocabulary import (
    AnswerOut,
    Closed,
    Connect,
    Connected,
    Deliver,
    FramesIn,
    Lost,
    Refused,
    RequestOut,
    Reset,
    ResetAsked,
    Silenced,
    Tell,
    Write,
)
from cluster.model.events import FramesHeld, LinkConnected
from cluster.model.messages import ListGroupsRequest
from tests.support.worlds.link_machine import (
    BACK,
    CUT,
    PATIENCE_MS,
    SLOW,
    Line,
    One,
    delayed,
    frame,
    held,
    released,
    was_reset,
    written,
)

WITHHELD = WithheldMessages(source=1, target=2, messages=("MetadataRequest",))


@pytest.fixture
def one() -> One:
    return One()


# To connect.


def test_the_first_request_connects_and_all_that_waited_leave_in_order(one: One) -> None:
    (wanted,) = one.ask(4)
    assert wanted == Connect(2, one.links.attempt(2))
    assert one.ask(8, 12) == [], "one connection is enough"
    line = Line(2)
    told = Tell(LinkConnected(source=1, target=2), "connected")
    assert one.handle(Connected(line, wanted.attempt)) == [told, *written(line, 4, 8, 12)]
    assert one.links.attempt(2) == 0
    assert one.ask(16) == written(line, 16)


def test_itself_and_strangers_are_not_called(one: One) -> None:
    assert one.ask(4, target=1) == one.ask(4, target=9) == []


def test_who_refuses_is_left_alone_for_a_while(one: One) -> None:
    (wanted,) = one.ask(4)
    assert one.handle(Refused(2, wanted.attempt)) == [Lost(2)]
    assert one.ask(8) == [Lost(2, is_soon=True)], "the process is in the middle of a step"
    one.after(BACKOFF_MS)
    assert [type(effect) for effect in one.ask(12)] == [Connect]


def test_a_connection_that_ends_loses_requests_but_the_next_one_connects_at_once(one: One) -> None:
    line = one.connected()
    assert one.handle(Closed(line)) == [Lost(2)]
    assert [type(effect) for effect in one.ask(4)] == [Connect]


def test_an_accepted_connection_that_ends_loses_nothing(one: One) -> None:
    assert one.handle(Closed(one.accepted())) == []
    assert one.links.channels() == []


def test_an_attempt_that_was_given_up_does_not_come_up_later(one: One) -> None:
    (wanted,) = one.ask(4)
    one.handle(ResetAsked(2, "fault"))
    (again,) = one.ask(8)
    late = Line(2)
    assert one.handle(Connected(late, wanted.attempt)) == [Reset(late)]
    assert one.handle(Refused(2, wanted.attempt)) == []
    assert one.links.attempt(2) == again.attempt


def test_so_many_requests_wait_for_a_connection_and_no_more(one: One) -> None:
    one.ask(*range(QUEUED_MAX))
    assert one.ask(QUEUED_MAX) == [Lost(2, is_soon=True)]


# Answers.


def test_an_answer_goes_back_once_over_the_connection_its_request_came_in_on(one: One) -> None:
    line = one.accepted()
    assert one.handle(FramesIn(line, [frame(4, sender=2)])) == [Deliver([frame(4, sender=2)])]
    assert one.links.channel_back(2, 4) is line
    assert one.links.channel_back(2, 4) is None
    assert one.handle(AnswerOut(line, frame(4))) == written(line, 4)


def test_an_answer_is_gone_with_its_connection(one: One) -> None:
    line = one.accepted()
    one.handle(FramesIn(line, [frame(4, sender=2)]))
    line.is_open = False
    assert one.links.channel_back(2, 4) is None
    assert one.handle(AnswerOut(line, frame(4))) == []


def test_clients_behind_one_connection_get_their_own_answers(one: One) -> None:
    line, other = one.accepted(peer=1000), one.accepted(peer=3)
    one.handle(FramesIn(line, [frame(4, sender=1001), frame(4, sender=1002)]))
    one.handle(FramesIn(other, [frame(4, sender=3)]))
    assert [one.links.channel_back(sender, 4) for sender in (1001, 1002, 3)] == [line, line, other]


def test_what_comes_in_over_a_connection_of_its_own_is_no_request(one: One) -> None:
    line = one.connected()
    one.handle(FramesIn(line, [frame(4, sender=2)]))
    assert one.links.channel_back(2, 4) is None


def test_the_oldest_request_is_forgotten_when_too_many_wait_for_answers(one: One) -> None:
    line = one.accepted()
    one.handle(FramesIn(line, [frame(number, sender=2) for number in range(ASKED_MAX + 1)]))
    assert one.links.channel_back(2, 0) is None
    assert one.links.channel_back(2, 1) is line


# Cuts.


def test_a_cut_holds_frames_and_lets_them_go_in_order(one: One) -> None:
    line = one.connected()
    one.apply(CUT)
    assert one.ask(4, 8) == [held(1, 2)], "told once"
    assert one.apply() == [released(1, 2, 2), *written(line, 4, 8)]
    assert one.after(10 * PATIENCE_MS) == [], "nothing is held any more"


def test_the_receiver_holds_what_was_on_its_way(one: One) -> None:
    line = one.accepted()
    one.apply(BACK)
    frames = [frame(4, sender=2), frame(8, sender=2)]
    assert one.handle(FramesIn(line, frames)) == [held(2, 1)]
    assert one.apply() == [released(2, 1, 2), Deliver(frames)]


def test_what_was_held_for_a_connection_that_is_gone_is_not_delivered(one: One) -> None:
    line, other = one.accepted(), one.accepted()
    one.apply(BACK)
    one.handle(FramesIn(line, [frame(4, sender=2)]))
    one.handle(FramesIn(other, [frame(8, sender=2)]))
    line.is_open = False
    assert one.apply() == [released(2, 1, 2), Deliver([frame(8, sender=2)])]


def test_a_cut_of_one_way_leaves_the_other_and_other_links_alone(one: One) -> None:
    line = one.connected()
    one.apply(CUT)
    answer = frame(4, sender=2)
    assert one.handle(FramesIn(line, [answer])) == [Deliver([answer])]
    assert [type(effect) for effect in one.ask(4, target=3)] == [Connect]
    one.apply(BACK)
    assert one.ask(8) == written(line, 8)


def test_an_answer_is_held_like_a_request(one: One) -> None:
    line = one.accepted()
    one.apply(CUT)
    assert one.handle(AnswerOut(line, frame(4))) == [held(1, 2)]
    assert one.apply() == [released(1, 2, 1), *written(line, 4)]


def test_frames_held_too_long_are_gone_with_all_connections_to_the_peer(one: One) -> None:
    line, accepted, other = one.connected(), one.accepted(), one.accepted(peer=3)
    one.apply(CUT)
    one.ask(4, 8)
    lost = [was_reset(2), Reset(accepted), Reset(line), Lost(2, is_soon=True)]
    assert one.after(PATIENCE_MS) == lost
    assert one.links.channels() == [other]
    assert one.apply() == []
    assert [type(effect) for effect in one.ask(12)] == [Connect]


def test_each_hold_has_the_whole_patience(one: One) -> None:
    line = one.connected()
    one.apply(CUT)
    one.ask(4)
    one.after(PATIENCE_MS - 1)
    one.apply()
    one.apply(CUT)
    assert one.ask(8) == [held(1, 2)]
    assert one.after(PATIENCE_MS - 1) == []
    assert one.after(1)[:2] == [was_reset(1), Reset(line)]


def test_frames_from_the_peer_that_are_held_too_long_are_gone_too(one: One) -> None:
    line = one.accepted()
    one.apply(BACK)
    one.handle(FramesIn(line, [frame(4, sender=2)]))
    assert one.after(PATIENCE_MS) == [was_reset(1), Reset(line)], "it has asked nothing, so it loses no request"


@pytest.mark.parametrize("way", [CUT, BACK])
def test_no_connection_is_made_while_either_way_is_cut(one: One, way: CutLink) -> None:
    one.apply(delayed(10))
    one.ask(4)
    one.apply(delayed(10), way)
    one.after(20)
    one.apply(way)
    assert one.links.attempt(2) == 0
    effects = one.apply()
    assert Connect(2, one.links.attempt(2)) in effects


def test_a_request_that_hangs_on_a_cut_is_lost_in_time_however_often_rules_change(one: One) -> None:
    one.apply(BACK)
    assert one.ask(4) == []
    one.after(PATIENCE_MS - 400)
    one.apply(BACK, delayed(0))
    assert one.after(400) == [Lost(2)]
    assert one.ask(8) == []
    assert one.after(PATIENCE_MS - 1) == [], "the next one has a patience of its own"
    assert one.after(1) == [Lost(2)]


# Delays and rates.


def test_delayed_frames_leave_late_and_in_order_whatever_is_drawn(one: One) -> None:
    line = one.connected()
    one.apply(delayed(100, 100))
    one.draws = 0.9
    assert one.ask(4) == []
    one.draws = 0.0
    assert one.ask(8) == []
    assert one.after(189) == []
    assert one.after(1) == written(line, 4, 8)


def test_a_slow_link_spreads_frames_over_time(one: One) -> None:
    line = one.connected()
    one.apply(SLOW)
    for number in (4, 8):
        one.handle(RequestOut(2, frame(number, size=65_000)))
    assert [effect.frame.correlation for effect in one.after(1)] == [4], "what the bucket holds leaves at once"
    assert one.after(60_000) == []
    (last,) = one.after(10_000)
    assert (last.channel, last.frame.correlation) == (line, 8)


def test_a_link_that_is_quick_again_lets_go_of_what_waited(one: One) -> None:
    line = one.connected()
    one.apply(delayed(60_000))
    one.ask(4, 8)
    assert one.apply() == written(line, 4, 8)
    assert one.ask(12) == written(line, 12)
    assert one.after(100_000) == []


def test_a_cut_holds_what_was_still_to_leave(one: One) -> None:
    line = one.connected()
    one.apply(delayed(100))
    one.ask(4)
    one.apply(delayed(100), CUT)
    assert one.after(100) == []
    assert one.apply() == [released(1, 2, 1), *written(line, 4)]


def test_what_a_cut_held_is_delayed_when_it_heals_on_a_slow_way(one: One) -> None:
    line = one.connected()
    one.apply(delayed(100), CUT)
    one.ask(4)
    assert one.apply(delayed(100)) == [released(1, 2, 1)]
    assert one.after(100) == written(line, 4)


def test_a_delay_of_the_other_way_is_the_senders_affair(one: One) -> None:
    line = one.connected()
    one.apply(DelayedLink(source=2, target=1, delay_ms=100))
    assert one.ask(4) == written(line, 4)


# A kind that is withheld.


def test_a_withheld_kind_waits_as_long_as_it_takes_while_all_others_pass(one: One) -> None:
    line = one.connected()
    one.apply(WITHHELD)
    (told,) = one.ask(4)
    assert told == Tell(FramesHeld(source=1, target=2, message="MetadataRequest"), "withhold 1>2")
    assert one.ask(8) == [], "told once"
    vote = Frame(1, 12, ListGroupsRequest())
    assert one.handle(RequestOut(2, vote)) == [Write(line, vote)]
    assert one.after(10 * PATIENCE_MS) == [], "its connection is not reset: others use it"
    assert one.apply() == [released(1, 2, 2), *written(line, 4, 8)]


def test_what_is_still_held_when_another_fault_ends_keeps_its_place(one: One) -> None:
    line = one.connected()
    other = Frame(1, 8, ListGroupsRequest())
    one.apply(CUT, WITHHELD)
    one.ask(4)
    one.handle(RequestOut(2, other))
    assert one.apply(WITHHELD) == [released(1, 2, 1), Write(line, other)]
    one.ask(12)
    assert one.apply(CUT) == [], "the cut holds them on"
    assert one.apply() == [released(1, 2, 2), *written(line, 4, 12)]


def test_what_is_withheld_goes_with_its_connection(one: One) -> None:
    line = one.connected()
    one.apply(WITHHELD)
    one.ask(4, 8)
    assert one.handle(ResetAsked(2, "fault")) == [was_reset(2, "fault"), Reset(line), Lost(2, is_soon=True)]
    assert one.apply() == []


# Resets and silence.


def test_a_reset_forgets_what_was_held_late_and_queued(one: One) -> None:
    one.ask(4)
    one.apply(delayed(100))
    one.ask(8)
    one.apply(delayed(100), CUT)
    one.ask(12)
    assert one.handle(ResetAsked(2, "fault")) == [was_reset(3, "fault"), Lost(2, is_soon=True)]
    assert one.apply() == []
    assert one.after(100_000) == []


def test_a_reset_of_a_link_without_connections_says_nothing(one: One) -> None:
    assert one.handle(ResetAsked(2, "fault")) == []


def test_a_silent_process_says_and_hears_nothing(one: One) -> None:
    line, accepted = one.connected(), one.accepted()
    one.apply(delayed(100))
    one.ask(4)
    assert one.handle(Silenced()) == []
    assert one.ask(8) == []
    assert one.handle(AnswerOut(accepted, frame(4))) == []
    assert one.handle(FramesIn(line, [frame(4, sender=2)])) == []
    assert one.after(1_000) == [], "what was late does not leave"
    assert one.apply() == []
    assert one.links.free == {}


# The short way.


def test_only_ways_without_a_rule_over_a_connection_are_free(one: One) -> None:
    assert one.links.free == {}
    line = one.connected()
    assert one.links.free == {2: line}
    for fault in (CUT, delayed(1), SLOW, UnkindLink(source=1, target=2, lost=1)):
        one.apply(fault)
        assert one.links.free == {}
        assert one.links.ruled == {2}
    one.apply(CutLink(source=1, target=3), BACK)
    assert one.links.free == {2: line}
    assert (one.links.ruled, one.links.ruled_back) == ({3}, {2})
    one.handle(Closed(line))
    assert one.links.free == {}


def test_a_connection_that_comes_up_under_a_rule_is_not_free_before_it_ends(one: One) -> None:
    one.apply(delayed(1))
    one.ask(4)
    one.after(1)
    line = Line(2)
    one.handle(Connected(line, one.links.attempt(2)))
    assert one.links.free == {}
    one.apply()
    assert one.links.free == {2: line}
    one.handle(ResetAsked(2, "fault"))
    assert one.links.free == {}
