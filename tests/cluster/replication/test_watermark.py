"""When a leader's high watermark moves."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.inputs import BrokersChanged
from tests.support.worlds.leader_world import OWN, Leader, answers, high_watermarks


def test_a_leader_that_flushes_counts_its_own_copy_only_once_it_is_on_disk() -> None:
    leader = Leader(flushes=True)
    assert answers(leader.produce("a")) == []
    early = leader.fetched(1)
    assert (high_watermarks(early), answers(early)) == ([], []), "the follower has it, the leader's disk does not"
    late = leader.flushed()
    assert (high_watermarks(late), answers(late)) == ([1], [ErrorCode.NONE])


def test_who_was_proposed_to_join_counts_also_while_it_is_fenced_and_nobody_has_answered() -> None:
    """The proposal may be committed already: then the next leader may be this replica."""
    leader = Leader()
    leader.decided(OWN, (OWN,), leader_epoch=0)
    leader.produce("a")
    leader.fetched(1)  # it has all, and is proposed
    leader.told(BrokersChanged(broker_epochs={OWN: OWN}))
    assert high_watermarks(leader.produce("b", "c")) == []
    assert high_watermarks(leader.fetched(2)) == [2], "the committed ISR alone has more"
    assert high_watermarks(leader.fetched(3)) == [3]
