"""Bets: asked once for an incident, of who may win, and answered by what the trace tells."""

from __future__ import annotations

from cluster.model.events import LeaderElected, ProcessExited
from cluster.model.identifiers import NO_NODE
from tests.support.traces.played import PLAYS
from workbench.session.bets import Bets
from workbench.session.recording import Recording


def leaderless() -> Recording:
    """At the death of a leader of the quorum that another follows."""
    recording = Recording()
    recording.extend(PLAYS["kill_and_start"]().entries)
    gone = next(place for place, entry in enumerate(recording.entries) if isinstance(entry.event, ProcessExited))
    recording.seek(gone + 1)
    return recording


def test_the_options_are_the_voters_that_are_up_and_nobody_is_asked_twice() -> None:
    recording, bets = leaderless(), Bets()
    assert bets.ask(recording) is None, "nobody wanted bets"
    bets.is_on = True
    bet = bets.ask(recording)
    assert bet is not None and bet.nodes == (101, 103) and bet.place == recording.cursor
    assert bets.ask(recording) is None, "once for an incident"
    assert bets.place(3) == bets.place(0) == NO_NODE and bets.open == bet
    assert bets.place(2) == 103 and bets.open is None


def test_a_bet_waits_until_somebody_has_won_and_counts_who_was_right() -> None:
    recording, bets = leaderless(), Bets()
    bets.is_on = True
    bets.ask(recording)
    bets.place(1)
    assert bets.settle(recording) == ""
    recording.seek(len(recording.entries))
    won = [entry.node for entry in recording.entries if isinstance(entry.event, LeaderElected)][-1]
    assert won == 101 and bets.settle(recording) == "Right: n101 leads.  1 of 1 right"
    assert (bets.right, bets.count, bets.streak) == (1, 1, 1) and bets.settle(recording) == ""


def test_a_quorum_that_is_led_or_never_was_is_nothing_to_bet_on() -> None:
    recording, bets = leaderless(), Bets()
    bets.is_on = True
    recording.seek(5)
    assert bets.ask(recording) is None
    recording.seek(len(recording.entries))
    assert bets.ask(recording) is None
