"""When a leader's high watermark moves."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from tests.support.worlds.leader_world import Leader, answers, high_watermarks


def test_a_leader_that_flushes_counts_its_own_copy_only_once_it_is_on_disk() -> None:
    leader = Leader(flushes=True)
    assert answers(leader.produce("a")) == []
    early = leader.fetched(1)
    assert (high_watermarks(early), answers(early)) == ([], []), "the follower has it, the leader's disk does not"
    late = leader.flushed()
    assert (high_watermarks(late), answers(late)) == ([1], [ErrorCode.NONE])
