"""Votes on the question on screen: who counts, when, and what the lecturer sees."""

from __future__ import annotations

from workbench.classroom.votes import Asked, Tally, Votes

LEADER = Asked("A vote", "Who leads?", ("101", "102", "nobody"))
CUT = Asked("A cut", "What is cut?", ("nothing", "one record"))


def votes_on(asked: Asked = LEADER) -> Votes:
    votes = Votes()
    votes.ask(asked, takes=True)
    return votes


def test_the_newest_vote_of_each_voter_counts() -> None:
    votes = votes_on()
    for voter, letter in (("ann", "a"), ("bob", "b"), ("ann", "c")):
        assert votes.vote(voter, 1, letter)
    assert votes.tally() == Tally(1, True, 2, ()), "no bar is shown while it is open: nobody follows the crowd"
    assert votes.next_round() == "vote 1 is closed"
    assert votes.tally() == Tally(1, False, 2, ((0, 1, 1),))


def test_a_second_vote_stands_beside_the_first_and_there_is_no_third() -> None:
    votes = votes_on()
    votes.vote("ann", 1, "a")
    votes.next_round()
    assert "second vote" in votes.next_round()
    assert votes.seen_by("ann").letter == "" and votes.seen_by("ann").turn == 2
    votes.vote("ann", 1, "b")
    assert votes.tally() == Tally(2, True, 1, ((1, 0, 0),))
    votes.next_round()
    assert votes.tally().counted == ((1, 0, 0), (0, 1, 0))
    assert votes.next_round() == "both votes are counted"


def test_what_was_not_asked_does_not_count() -> None:
    votes = votes_on()
    assert not votes.vote("ann", 1, "d"), "three options"
    assert not votes.vote("ann", 1, "ab")
    assert not votes.vote("ann", 0, "a"), "a page from before"
    votes.ask(CUT, takes=True)
    assert not votes.vote("ann", 1, "a"), "the page of the question before"
    assert votes.vote("ann", 2, "a")


def test_a_step_that_runs_closes_the_vote_and_one_that_asks_nothing_ends_it() -> None:
    votes = votes_on()
    votes.vote("ann", 1, "a")
    votes.ask(LEADER, takes=False)
    assert not votes.vote("bob", 1, "a")
    assert votes.tally() == Tally(1, False, 1, ((1, 0, 0),))
    votes.ask(None, takes=False)
    assert votes.tally() == Tally(0, False, 0, ())
    assert votes.next_round() == "nothing is asked here"


def test_the_same_question_on_screen_again_loses_no_vote() -> None:
    votes = votes_on()
    votes.vote("ann", 1, "b")
    votes.ask(LEADER, takes=True)
    assert votes.seen_by("ann").letter == "b"
