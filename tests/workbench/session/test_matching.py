from __future__ import annotations

import pytest

from cluster.model.entry import Entry
from tests.support.traces import story
from workbench.session.matching import PAGES_AT_ONCE, Matching
from workbench.session.pages import Pages

ENTRIES = story.full_story()


def said_by_2(entry: Entry) -> bool:
    return entry.node == 2


PASSING = [index for index, entry in enumerate(ENTRIES) if said_by_2(entry)]


def pages(size: int, entries: list[Entry] = ENTRIES) -> Pages:
    made = Pages(size=size)
    for entry in entries:
        made.append(entry)
    return made


@pytest.mark.parametrize("size", [1000, 100])
def test_both_ways_give_what_passes(size: int) -> None:
    matching, entries = Matching(said_by_2), pages(size)
    for end in (0, 1, 17, 100, len(ENTRIES), len(ENTRIES) + 5):
        passing = [place for place in PASSING if place < end]
        assert matching.before(entries, end, 4) == passing[-4:]
        assert matching.after(entries, 11, end, 4) == [place for place in passing if place >= 11][:4]


def test_without_a_filter_all_pass() -> None:
    assert Matching().before(pages(5), 12, 3) == [9, 10, 11]
    assert Matching().after(pages(5), 9, 11, 3) == [9, 10]


def test_entries_that_came_since_are_looked_at() -> None:
    entries, matching = pages(1000, ENTRIES[:50]), Matching(said_by_2)
    assert matching.before(entries, 50, 100) == [place for place in PASSING if place < 50]
    for entry in ENTRIES[50:]:
        entries.append(entry)
    assert matching.before(entries, len(ENTRIES), 100) == PASSING


def test_a_frame_looks_through_few_pages_and_the_next_one_goes_on() -> None:
    entries, looked = pages(10), list[Entry]()

    def never(entry: Entry) -> bool:
        looked.append(entry)
        return False

    matching = Matching(never)
    last = len(ENTRIES) % 10
    for turn in range(1, 4):
        assert matching.before(entries, len(ENTRIES), 5) == []
        assert len(looked) == last + turn * PAGES_AT_ONCE * 10
