"""Which entries of a run pass a filter, looked for page by page from where somebody looks, not in all of a run."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable
from itertools import islice

from cluster.model.entry import Entry
from workbench.session.pages import Pages

PAGES_AT_ONCE = 2
"""Pages looked through for one answer beside those that were before: about 50 ms each."""


class Matching:
    """Places of entries that pass, of the pages that were looked through."""

    def __init__(self, passes: Callable[[Entry], bool] | None = None) -> None:
        """`passes`: the filter; None passes all."""
        self._passes = passes
        self._found: dict[int, list[int]] = {}
        """Page -> places, ascending."""
        self._checked: dict[int, int] = {}
        """Page -> how many of its entries were looked at; fewer than all of the page that still grows."""
        self._left = PAGES_AT_ONCE

    def before(self, entries: Pages, end: int, count: int, pages: int = PAGES_AT_ONCE) -> list[int]:
        """The last `count` places below end, ascending.

        Fewer when more than `pages` have to be looked through that were not before: the next time there are more.
        """
        end = min(end, len(entries))
        if self._passes is None:
            return list(range(max(0, end - count), end))
        self._left = pages
        matches: list[int] = []
        for page in range((end - 1) // entries.size, -1, -1):
            if len(matches) >= count or not self._look(entries, page):
                break
            places = self._found[page]
            matches = places[: bisect_left(places, end)][-(count - len(matches)) :] + matches
        return matches

    def after(self, entries: Pages, start: int, end: int, count: int, pages: int = PAGES_AT_ONCE) -> list[int]:
        """The first `count` places from start (inclusive) to end (exclusive), ascending; or fewer, as `before`."""
        end = min(end, len(entries))
        if self._passes is None:
            return list(range(start, min(start + count, end)))
        self._left = pages
        matches: list[int] = []
        for page in range(start // entries.size, (end - 1) // entries.size + 1):
            if len(matches) >= count or not self._look(entries, page):
                break
            matches += islice(_within(self._found[page], start, end), count - len(matches))
        return matches

    def _look(self, entries: Pages, page: int) -> bool:
        """Look through a page; False when that is too much for now."""
        assert self._passes is not None, "where all pass nobody looks"
        checked = self._checked.get(page, 0)
        if checked == entries.size:
            return True
        if not checked and page < entries.full_count:
            if not self._left:
                return False
            self._left -= 1
        items = entries.page(page)
        places, first = self._found.setdefault(page, []), page * entries.size
        places += [first + at for at in range(checked, len(items)) if self._passes(items[at])]
        self._checked[page] = len(items)
        return True


def _within(places: list[int], start: int, end: int) -> Iterable[int]:
    return places[bisect_left(places, start) : bisect_left(places, end)]
