"""What each input may make of a role, and what an epoch keeps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from cluster.invariants.verdicts.verdict import Verdict
from tests.support.traces.quorum_traces import QuorumTrace, led


@dataclass
class Triggered:
    """Names what set the newest event's step off."""

    trace: QuorumTrace

    def by(self, trigger: str, *, back: int = 1) -> None:
        """The event so many places from the end begins a step."""
        self.trace.entries[-back] = replace(self.trace.entries[-back], trigger=trigger)


def test_a_prospective_voter_that_gives_its_vote_stays_prospective() -> None:
    trace = led()
    trace.role(103, "unattached", 2)
    trace.role(103, "prospective", 2, disk=False)
    trace.role(103, "prospective", 2, vote=102)
    Triggered(trace).by("VoteRequest from 102", back=2)
    assert trace.bad() == {}
    assert trace.verdicts()["R20"].verdict is Verdict.HOLDS


def test_r20_a_prospective_voter_that_becomes_unattached_by_giving_its_vote() -> None:
    trace = led()
    trace.role(103, "unattached", 2)
    trace.role(103, "prospective", 2, disk=False)
    trace.role(103, "unattached", 2, vote=102)
    assert trace.violations("R20")[0].sentence == (
        "node 103, prospective in epoch 2, becomes unattached by giving its vote"
    )


def test_r20_a_vote_that_is_forgotten_in_its_epoch() -> None:
    trace = led()
    trace.role(103, "unattached", 2)
    trace.role(103, "unattached", 2, vote=102)
    trace.known[103] = ("unattached", -1, -1)
    trace.role(103, "follower", 2, leader=102)
    assert trace.violations("R20")[0].sentence == "node 103, unattached in epoch 2, forgets its vote for 102"


def test_r20_a_leader_that_is_forgotten_in_its_epoch() -> None:
    trace = led()
    trace.role(103, "unattached", 1)
    assert trace.violations("R20")[0].sentence == "node 103, follower in epoch 1, forgets leader 101"


def test_r20_a_candidate_that_passes_an_epoch_over() -> None:
    trace = led()
    trace.pre_vote(102, 103)
    trace.stand(102, 3)
    assert "asks for votes in epoch 3, which is not the next one" in trace.violations("R20")[0].sentence


@pytest.mark.parametrize("trigger", ["VoteRequest from 102", "FetchResponse from 101", "timer quorum.check"])
def test_r20_an_input_that_makes_no_prospective_of_a_follower(trigger: str) -> None:
    trace = led()
    trace.role(103, "prospective", 1, leader=101, disk=False)
    Triggered(trace).by(trigger)
    assert trace.violations("R20")[0].sentence.endswith(f"becomes prospective by {trigger.partition(' from ')[0]}")


def test_r20_a_step_goes_on_from_what_its_first_event_names() -> None:
    trace = led()
    trace.role(101, "resigned", 1, leader=101)
    Triggered(trace).by("timer quorum.fetch", back=2)
    assert "becomes resigned by timer quorum.fetch" in trace.violations("R20")[0].sentence


def test_who_comes_back_as_the_candidate_it_was_forgets_the_leader_it_had_heard_of() -> None:
    trace = led()
    trace.role(103, "unattached", 2)
    trace.exit(103)
    trace.boot(103, epoch=2, voted_for=103)
    trace.role(103, "candidate", 2, vote=103)
    assert "R20" not in trace.bad()
