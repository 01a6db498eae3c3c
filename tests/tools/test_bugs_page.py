"""The page of planted bugs tells of each once, and gives none of the hunt away."""

from __future__ import annotations

from tools.bugs_page import BY_SCRIPT, PARTS, bugs_page, first_seed
from workbench.challenges.bugs.sealed import SEALED


def test_each_bug_stands_there_once_with_the_seeds_that_stand_beside_it() -> None:
    page, bugs = bugs_page(), [bug for part in PARTS for bug in part.bugs]
    assert len({bug.id for bug in bugs}) == len(bugs) >= 60
    for bug in bugs:
        (row,) = [row for row in page.splitlines() if row.startswith(f"| {bug.what} |")]
        seeds = "script" if bug in BY_SCRIPT else str(first_seed(bug) or "-")
        assert row.split(" | ")[2] == seeds


def test_no_bug_of_the_hunt_is_told() -> None:
    told = {bug.id for part in PARTS for bug in part.bugs}
    assert not told & {item.bug.id for item in SEALED}


def test_a_script_has_no_seed_beside_it() -> None:
    assert [first_seed(bug) for bug in BY_SCRIPT] == [0, 0]
