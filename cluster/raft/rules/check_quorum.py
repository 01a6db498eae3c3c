"""The rule by which a leader that no majority hears resigns."""

from __future__ import annotations

from collections.abc import Collection

from cluster.model.identifiers import NodeId
from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no
from cluster.raft.rules.votes import majority


@rule(source="Raft thesis 6.2, KAFKA-15489", kafka="LeaderState.timeUntilCheckQuorumExpires")
def check_quorum(
    fetched: Collection[NodeId], voter_count: int, patience_ms: int, *, is_voter: bool = True
) -> Ruling[bool]:
    """A leader that no majority of the voters fetches from for 1.5 fetch timeouts resigns: another may lead already.

    Args:
        fetched: other voters that have fetched since the wait began; with the leader itself they have to be a majority.
        patience_ms: how long the leader waits for them.
        is_voter: false for a leader that has removed itself: it does not count then.
    """
    needed = majority(voter_count) - is_voter
    is_heard = len(fetched) >= needed
    reason = "a majority of voters has fetched" if is_heard else "no majority of voters fetched in time"
    numbers: Numbers = {
        "voters that fetched": sorted(fetched),
        "needed besides itself": needed,
        "voters": voter_count,
        "waited_ms": patience_ms,
    }
    return yes_or_no(is_heard, reason, numbers)
