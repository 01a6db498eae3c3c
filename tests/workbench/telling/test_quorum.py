"""How changes of the voters are told."""

from __future__ import annotations

from typing import Any

import pytest

from cluster.model.entry import Entry
from cluster.model.events import VoteGranted, VoterChangeRefused, VoteReceived, VotersChanged
from tests.support.traces.traces import Trace
from workbench.telling.tell import describe
from workbench.telling.words import disk_words


def said(event: Any) -> str:
    trace = Trace()
    trace.add(101, event)
    entry: Entry = trace.entries[-1]
    return describe(entry)


def test_voters_are_told_with_the_beginning_of_their_disks() -> None:
    event = VotersChanged(
        epoch=1,
        offset=4,
        voters=(101, 102),
        directories=("abcdefgh", ""),
        directory_id="abcdefgh",
        why="voter 102 is added",
    )
    assert said(event) == "VOTERS n101:abcd, n102 (as of offset 4): voter 102 is added"


def test_a_refusal_is_told_with_its_name() -> None:
    event = VoterChangeRefused(
        kind="add", voter_id=104, directory_id="abcdefgh", error=126, why="104 is a voter already"
    )
    assert said(event) == "does not add voter n104:abcd: DUPLICATE_VOTER, 104 is a voter already"


def test_what_a_node_says_of_disks_is_made_visible() -> None:
    assert "\x1b" not in disk_words("\x1b[2J")
    assert disk_words("") == ""


@pytest.mark.parametrize(
    ("pre_vote", "count", "told"),
    [(True, 1, "n102 says yes: 1 pre-vote in e4, needs 2"), (False, 2, "n102 says yes: 2 votes in e4, needs 2")],
)
def test_a_count_of_votes_names_what_is_needed(pre_vote: bool, count: int, told: str) -> None:  # noqa: FBT001
    event = VoteReceived(
        epoch=4, voter_id=102, pre_vote=pre_vote, granted=True, granted_count=count, rejected_count=0, needed=2
    )
    assert said(event) == told


def test_what_is_asked_in_a_pre_vote_binds_nobody() -> None:
    logs: dict[str, int] = {
        "candidate_last_epoch": 1, "candidate_last_offset": 5, "last_epoch": 1, "last_offset": 5,
    }  # fmt: skip
    texts = [said(VoteGranted(epoch=2, candidate_id=102, pre_vote=pre_vote, **logs)) for pre_vote in (True, False)]
    assert texts == [
        "would vote for n102 in e2 (its log 5@e1, mine 5@e1)",
        "votes for n102 in e2 (its log 5@e1, mine 5@e1)",
    ]
