"""How changes of the voters are told."""

from __future__ import annotations

from typing import Any

from cluster.model.entry import Entry
from cluster.model.events import VoterChangeRefused, VotersChanged
from tests.support.traces.traces import Trace
from workbench.session.describe.sentences import describe
from workbench.session.describe.voters import disk_words


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
