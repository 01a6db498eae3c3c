"""Rounds of votes: who asks, and what each voter answered to that round."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.model.events.lab import PASS
from cluster.model.identifiers import Epoch, NodeId
from cluster.model.messages import VoteResponse
from cluster.picture.facts import ClusterFacts
from cluster.picture.parts import VoteRound

ROUNDS_MAX = 64


def _election_started(state: ClusterFacts, entry: Entry, event: ev.ElectionStarted) -> None:
    if not state.node(entry.node).voters_told:
        state.voters = event.voters or state.voters
    begun = VoteRound(
        entry.t_ns, event.epoch, entry.node, event.pre_vote, event.voters, len(event.voters) // 2 + 1,
        answers={entry.node: True}, led_to={entry.id},
    )  # fmt: skip
    state.rounds.append(begun)
    del state.rounds[:-ROUNDS_MAX]


def role_changed(state: ClusterFacts, entry: Entry) -> None:
    """A request of a higher epoch changes the role of a voter, and its answer follows from that."""
    for item in state.rounds:
        if entry.cause in item.led_to:
            item.led_to.add(entry.id)


def _newest(state: ClusterFacts, epoch: Epoch, candidate: NodeId, *, pre_vote: bool) -> VoteRound | None:
    for item in reversed(state.rounds):
        if (item.epoch, item.candidate_id, item.pre_vote) == (epoch, candidate, pre_vote):
            return item
    return None


def _answered(state: ClusterFacts, entry: Entry, event: ev.VoteGranted | ev.VoteRejected) -> VoteRound | None:
    """The round that an answer is for. Pre-votes bump no epoch: only what led to the answer tells their rounds apart.

    None where that is not known; then it is counted when the candidate counts it.
    """
    if not event.pre_vote:
        return _newest(state, event.epoch, event.candidate_id, pre_vote=False)
    return next((item for item in state.rounds if entry.cause in item.led_to), None)


def _vote_granted(state: ClusterFacts, entry: Entry, event: ev.VoteGranted) -> None:
    vote_round = _answered(state, entry, event)
    if vote_round is not None:
        vote_round.answers[entry.node] = True
    if not event.pre_vote:
        voter = state.node(entry.node)
        voter.voted_for, voter.quorum_epoch = event.candidate_id, max(voter.quorum_epoch, event.epoch)


def _vote_rejected(state: ClusterFacts, entry: Entry, event: ev.VoteRejected) -> None:
    vote_round = _answered(state, entry, event)
    if vote_round is not None:
        vote_round.answers[entry.node] = False
        vote_round.reasons[entry.node] = event.why


def _vote_received(state: ClusterFacts, entry: Entry, event: ev.VoteReceived) -> None:
    """A candidate counts answers to its newest round only."""
    vote_round = _newest(state, event.epoch, entry.node, pre_vote=event.pre_vote)
    if vote_round is not None:
        vote_round.answers[event.voter_id] = event.granted
        vote_round.needed = event.needed


def _plucked(state: ClusterFacts, _entry: Entry, event: ev.MessagePlucked) -> None:
    """An answer that its candidate does not hear, or not yet, counts once it does."""
    numbers = dict(event.numbers)
    if event.message == VoteResponse.__name__ and event.fate != PASS:
        found = _newest(state, numbers["epoch"], event.target, pre_vote=bool(numbers["pre_vote"]))
        if found is not None:
            found.answers.pop(event.source, None)


def won(state: ClusterFacts, entry: Entry, event: ev.LeaderElected) -> None:
    """The candidate leads by its newest round."""
    vote_round = _newest(state, event.epoch, entry.node, pre_vote=False)
    if vote_round is not None:
        vote_round.won = True
        vote_round.answers.update(dict.fromkeys(event.votes, True))


VOTE_FOLDS: dict[type, Callable[[ClusterFacts, Entry, Any], None]] = {
    ev.ElectionStarted: _election_started,
    ev.VoteGranted: _vote_granted,
    ev.VoteRejected: _vote_rejected,
    ev.VoteReceived: _vote_received,
    ev.MessagePlucked: _plucked,
}
