from __future__ import annotations

from importlib import import_module
from typing import Any

from cluster.model.identifiers import NO_NODE, LogEnd
from cluster.model.messages import VoteRequest
from cluster.raft.roles import Role
from cluster.raft.rules.votes import VoterFacts
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import sealed_bug

election: Any = import_module("cluster.raft.election")
FACTS = VoterFacts(role=Role.UNATTACHED, voted_for=103, leader_id=NO_NODE, has_fetched=False, log_end=LogEnd(1, 5))
REQUEST = VoteRequest(voter_id=102, epoch=2, candidate_id=101, last_epoch=1, last_offset=5, pre_vote=False)


def test_who_forgets_whom_it_voted_for_votes_twice() -> None:
    assert not election.grant_vote(FACTS, REQUEST).granted
    with planted(sealed_bug("quorum/votes-twice")):
        assert election.grant_vote(FACTS, REQUEST).granted
