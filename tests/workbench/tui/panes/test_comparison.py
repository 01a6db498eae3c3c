"""Two worlds on one time axis, drawn without a screen."""

from __future__ import annotations

import re
from functools import cache

import pytest

from cluster.model.entry import Entry
from tests.support.traces.watched import Watched
from workbench.session.comparison import Figure, World, Worlds
from workbench.session.recording import Recording
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Comparison
from workbench.tui.ui_state import UiState

SIZES = ((200, 50), (160, 45), (120, 40), (80, 24))
NOBODY = "\u254c"


@cache
def played(*, cuts: bool) -> list[Entry]:
    """A run of 12 s; where it is cut the leader of the quorum can reach nobody for some seconds."""
    world = Watched(seed=3, controllers=3, brokers=3)
    world.until(lambda: world.cluster().quorum_leader > 0)
    world.do("topic orders replicas=3 min-isr=2")
    world.do("produce orders 5")
    world.run_until(lambda: False, 5.0)
    if cuts:
        world.do("kill controller")
        world.run_until(lambda: False, 0.2)
        world.do("isolate 102")
        world.run_until(lambda: False, 5.0)
        world.do("heal")
    world.run_until(lambda: False, 12.0)
    return world.entries


def world(name: str, *, cuts: bool) -> World:
    recording = Recording()
    recording.extend(played(cuts=cuts))
    return World(name, name, recording, "simulated, seed 3")


def worlds() -> Worlds:
    return Worlds(world("as it was", cuts=False), world("with a cut", cuts=True), parted_ns=5_000_000_000)


def shown(size: tuple[int, int], both: Worlds | None, at_ns: int = -1) -> list[str]:
    ui = UiState(Recording(), worlds=both, mode=Comparison(at_ns))
    return draw_screen(*size, ui).text_rows()


@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_what_the_figures_are_of_is_said_in_whole_words(size: tuple[int, int]) -> None:
    (row,) = [row for row in shown(size, worlds()) if " Outcome " in row]
    assert re.search(r" at the end( of each)?(, [0-9.]+ s and [0-9.]+ s)? \u2500*[^a-z0-9,]*$", row), row


@pytest.mark.parametrize("size", SIZES)
def test_the_stretch_without_a_leader_is_seen_without_scrolling(size: tuple[int, int]) -> None:
    rows = [row for row in shown(size, worlds()) if "quorum  " in row and "nobody" not in row.partition("quorum")[0]]
    if size[0] > 96:
        left, right = rows[0].split("\u2502")[1:3]
    else:
        left, right = rows[0], rows[1]
    assert NOBODY not in left and right.count(NOBODY) + len("nobody leads") * ("nobody leads" in right) >= 5


@pytest.mark.parametrize("size", SIZES)
def test_the_first_difference_stands_on_top_in_the_words_of_the_story(size: tuple[int, int]) -> None:
    text = "\n".join(shown(size, worlds())[:8])
    assert "First difference, " in text and "A  nothing of it" in text and "the leader, was killed" in text


@pytest.mark.parametrize("size", SIZES)
def test_what_came_of_both_stands_in_a_table_that_marks_what_differs(size: tuple[int, int]) -> None:
    row = next(row for row in shown(size, worlds()) if "nobody led the quorum" in row)
    assert "\u258c nobody led the quorum" in row
    zero, some = row.partition("quorum")[2].split(" s")[:2]
    assert zero.strip() == "0" and float(some) > 3


def test_a_long_figure_of_the_first_world_does_not_touch_that_of_the_second() -> None:
    both = worlds()
    both.figures.append(Figure("commit tickets, mean/most", "306.8, 12146 ms", "613.4, 12146 ms"))
    assert any("306.8, 12146 ms  613.4, 12146 ms" in row for row in shown((200, 60), both))


def test_both_stories_stand_side_by_side_and_what_both_say_in_one_row() -> None:
    rows = shown((200, 50), worlds())
    happened = rows[next(at for at, row in enumerate(rows) if "What happened" in row) + 1 :]
    both = next(row for row in happened if "The nodes start." in row)
    one = next(row for row in happened if "was killed" in row)
    assert both.count("\u2502") == 2 and one.index("was killed") > 100


def test_two_worlds_that_tell_the_same_say_so() -> None:
    same = Worlds(world("one", cuts=False), world("other", cuts=False))
    assert "No headline and no figure differs up to" in "\n".join(shown((120, 40), same))


def test_two_worlds_that_tell_the_same_and_do_not_end_alike_say_so_on_top() -> None:
    both = Worlds(world("one", cuts=False), world("other", cuts=False))
    both.figures = [Figure("acknowledged and lost", "0", "6", is_loss=True)]
    top = " ".join(" ".join(shown((120, 40), both)[:5]).split())
    assert "acknowledged and lost 0 and 6" in top and "No headline" not in top


def test_a_look_before_the_worlds_part_shows_the_whole_time() -> None:
    both = worlds()
    assert both.from_ns > 0
    late, early = shown((160, 45), both, both.length_ns), shown((160, 45), both, 0)
    assert not any(" 0 s" in row and "2 s" in row for row in late[:20])
    assert any(" 0 s" in row and " 2 s" in row or "0 s " in row and "5 s" in row for row in early[:20])


def test_the_logs_are_those_of_the_moment_in_view() -> None:
    both = worlds()
    both.seek(0)
    assert "no log yet" in "\n".join(shown((160, 45), both, 0))
    both.seek(both.length_ns)
    assert "HW 5 LEO 5" in "\n".join(shown((160, 45), both, both.length_ns))


def test_without_two_runs_it_says_that() -> None:
    assert "no two runs to compare" in "\n".join(shown((80, 24), None))
