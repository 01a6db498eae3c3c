"""Two worlds as lines: the table is always there, the first difference when there is one."""

from __future__ import annotations

from tests.support.traces import story
from workbench.session.comparison import Figure, World, Worlds
from workbench.session.comparison_lines import lines_of
from workbench.session.recording import Recording


def world(count: int | None = None) -> World:
    recording = Recording()
    recording.extend(story.full_story()[:count])
    return World("run-1", "a story", recording, "simulated, seed 1")


def test_who_they_are_stands_first_and_the_table_follows() -> None:
    lines = lines_of(Worlds(world(), world()))
    assert lines[0] == "A  run-1  a story  simulated, seed 1"
    assert lines[2].startswith("No headline and no figure differs up to ")
    table = [line for line in lines if line.startswith("records acknowledged")]
    assert len(table) == 1 and len(set(table[0].split()[2:])) == 1


def test_the_first_difference_is_told_of_both_and_what_only_one_tells_comes_last() -> None:
    whole = world()
    lines = lines_of(Worlds(whole, world(whole.moments()[1].place)))
    at = next(place for place, line in enumerate(lines) if line.startswith("first difference at "))
    assert lines[at + 1] == f"  A  {whole.moments()[1].text}"
    assert lines[at + 2] == "  B  nothing of it"
    assert any(line.endswith(f" s  A  {whole.moments()[1].text}") for line in lines[at + 3 :])


def test_worlds_that_tell_the_same_and_do_not_end_alike_are_not_called_the_same() -> None:
    """Over the row "acknowledged and lost 0 / 6" stood that no headline differs."""
    both = Worlds(world(), world())
    both.figures = [Figure("logs cut", "1", "2"), Figure("acknowledged and lost", "0", "6", is_loss=True)]
    said = lines_of(both)[2]
    assert said.endswith("it did not end alike: acknowledged and lost 0 and 6, and 1 more figure.")
