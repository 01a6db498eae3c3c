"""Steps say what is in view; a search counts, goes on and back, and gives the filter back."""

from __future__ import annotations

from pathlib import Path

from tests.support.screens.bare_host import Bench
from workbench.telling.tell import describe


def test_a_step_says_the_event_in_view_and_whether_the_list_leaves_it_out(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    entries, hidden = bench.ui.recording.entries, 0
    bench.ui.events.set_filter("votes and epochs", 0)
    for _ in range(len(entries) - 1):
        bench.press("comma")
        index = bench.ui.recording.cursor - 1
        assert f"event {index + 1}: " in bench.said and describe(entries[index]) in bench.said
        is_hidden = not bench.ui.events.passes(entries[index])
        assert ("(hidden by f)" in bench.said) is is_hidden
        hidden += is_hidden
    assert 0 < hidden < len(entries) - 1


def test_a_search_stays_within_the_filter_says_how_many_and_goes_on_and_back(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    bench.commands.submit("/leader")
    count = len(bench.ui.events.matching)
    assert bench.ui.events.filter == "story" and count > 1
    assert f'{count} events say "leader": N goes to the newest' in bench.said
    bench.press("home")
    bench.commands.submit("/leader")
    assert f'{count} events say "leader": n next, N previous' in bench.said
    bench.press("home")
    places: list[int] = []
    for number in range(count):
        bench.press("n")
        places.append(bench.ui.recording.cursor - 1)
        assert bench.ui.events.selected == places[-1]
        assert f"{number + 1} of {count}: " in bench.said
    assert places == bench.ui.events.matching
    bench.press("n")
    assert bench.said == "no more this way" and bench.ui.recording.cursor == places[-1] + 1
    bench.press("N")
    assert bench.ui.events.selected == places[-2]
    bench.press("escape")
    assert (bench.ui.events.search, bench.ui.events.filter) == ("", "story")
    bench.press("N")
    assert "nothing is searched for" in bench.said


def test_a_search_that_finds_nothing_says_so_and_does_not_stay(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    bench.commands.submit("/zzzz")
    assert bench.said == 'no event says "zzzz"' and not bench.ui.events.search
    bench.press("f", "f", "f", "f", "f", "f")
    bench.commands.submit("/vote")
    assert "no faults event says it, but" in bench.said and bench.ui.events.filter == "faults"
