from __future__ import annotations

import pytest

from cluster.model.entry import Entry, EventId
from tests.support.traces import story
from workbench.session.pages import NEWEST_PAGES, READ_PAGES, Pages

ENTRIES = story.full_story()
SIZE = 5


@pytest.fixture
def asked() -> list[int]:
    return []


@pytest.fixture
def pages(asked: list[int]) -> Pages:
    """All entries, of which only the newest are in memory; `asked` has the pages that were read again."""

    def again(number: int) -> list[Entry]:
        asked.append(number)
        return ENTRIES[number * SIZE : (number + 1) * SIZE]

    made = Pages(again, SIZE)
    for entry in ENTRIES:
        if made.append(entry):
            made.release(made.full_count - 1)
    return made


def test_every_entry_is_where_it_was(pages: Pages) -> None:
    assert pages == ENTRIES and len(pages) == len(ENTRIES)
    for part in (slice(3, 17), slice(-4, None), slice(None, None, 7), slice(90, 2, -3), slice(8, 8)):
        assert pages[part] == ENTRIES[part]
    assert (pages[0], pages[-1], pages[40]) == (ENTRIES[0], ENTRIES[-1], ENTRIES[40])
    with pytest.raises(IndexError):
        pages[len(ENTRIES)]


def test_the_newest_pages_are_not_read_again_and_those_looked_at_lately_are_not_either(
    pages: Pages, asked: list[int]
) -> None:
    newest = pages.full_count - NEWEST_PAGES
    assert pages[newest * SIZE :] and asked == []
    for number in (*range(READ_PAGES), *range(READ_PAGES)):
        pages.page(number)
    assert asked == list(range(READ_PAGES))
    pages.page(READ_PAGES)
    pages.page(0)
    assert asked == [*range(READ_PAGES + 1), 0]


def test_an_event_is_found_by_its_name(pages: Pages) -> None:
    assert [pages.index_of(entry.id) for entry in ENTRIES] == list(range(len(ENTRIES)))
    assert pages.index_of(EventId(101, 0, 10_000)) is None and pages.index_of(EventId(77, 0, 0)) is None


def test_a_time_is_found_on_whichever_page_it_is(pages: Pages) -> None:
    times = [entry.t_ns for entry in ENTRIES]
    for t_ns in (0, *times, times[7] + 1, times[-1] + 1):
        assert pages.count_until(t_ns) == sum(time <= t_ns for time in times)
    assert Pages().count_until(5) == 0
