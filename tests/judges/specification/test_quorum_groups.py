"""What each voter did in one step of its, in order."""

from __future__ import annotations

from cluster.model import events as ev
from judges.specification.causal_order import Recording
from judges.specification.quorum_groups import groups_of
from tests.support.specification.outside import entries_of


def test_a_step_is_of_one_voter_and_counts_once_all_have_booted() -> None:
    recording = Recording(entries_of("r02_kill_leader"))
    groups = groups_of(recording, (101, 102, 103))
    assert all(len({entry.node for entry in group}) == 1 for group in groups)
    assert [group[0].node for group in groups if isinstance(group[0].event, ev.QuorumBooted)][:3] == [103, 101, 102]


def test_a_fetch_counts_where_its_leader_answered_it() -> None:
    recording = Recording(entries_of("r02_kill_leader"))
    groups = groups_of(recording, (101, 102, 103))
    copied = [at for at, group in enumerate(groups) if any(is_of(entry.event, "follower") for entry in group)]
    written = [at for at, group in enumerate(groups) if any(is_of(entry.event, "leader") for entry in group)]
    assert written[0] < copied[0]


def is_of(event: object, role: str) -> bool:
    return isinstance(event, ev.MetadataAppended) and event.role == role
