"""Two worlds by keys and words: which are shown, and how both are scrubbed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.runtime.run.folder import update_facts
from tests.support.screens.bare_host import Bench
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice
from workbench.tui.compose import draw_screen
from workbench.tui.modes import Comparison, Typing, Watching

SCRIPT = """cluster controllers=3 brokers=3
topic orders assign=1,2,3 min-isr=1
produce orders 3 acks=1
at 2s kill controller
at 5s heal
"""


def played(home: Path, seed: int) -> Path:
    script = home / "script.txt"
    script.write_text(SCRIPT)
    assert run_script(script, as_json=True, home=home, world=WorldChoice(simulated=True, seed=seed)) == 0
    return max((home / "runs").iterdir())


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    home = tmp_path_factory.mktemp("home")
    return played(home, 3), played(home, 4)


def bench_on(folder: Path) -> Bench:
    bench = Bench(folder, live=False)
    bench.ui.recording.reset()
    bench.session.load()
    return bench


def command(bench: Bench, line: str) -> None:
    bench.commands.submit(line)
    bench.host.finish()
    bench.host.finish()


def test_any_recorded_run_can_stand_beside_the_one_on_screen(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    command(bench, f"compare {runs[1].name}")
    worlds, mode = bench.ui.worlds, bench.ui.mode
    assert worlds is not None and isinstance(mode, Comparison)
    assert worlds.left.is_borrowed and worlds.left.recording is bench.ui.recording
    assert worlds.right.run == runs[1].name and worlds.difference is not None
    assert mode.at_ns == worlds.difference.since_ns, "a recording opens where the worlds part"
    bench.press("escape")
    assert isinstance(bench.ui.mode, Watching)
    bench.press("C")
    assert isinstance(bench.ui.mode, Comparison), "once both are read it opens at once"


def test_two_worlds_that_tell_the_same_stand_at_their_end(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    bench.ui.recording.seek(10)
    bench.commands.worlds.show_runs(runs[0], runs[0])
    bench.host.finish()
    worlds = bench.ui.worlds
    assert worlds is not None and worlds.difference is None and bench.ui.mode == Comparison()
    ends = [world.recording.cursor_at(world.at(world.length_ns)) for world in worlds.both]
    assert [world.recording.cursor for world in worlds.both] == ends and min(ends) > 10
    assert "no log yet" not in bench.drawn()


def test_both_go_along_the_time_with_the_arrows(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    command(bench, f"compare {runs[1].name}")
    worlds = bench.ui.worlds
    assert worlds is not None
    bench.press("end")
    assert isinstance(bench.ui.mode, Comparison) and bench.ui.mode.at_ns == worlds.length_ns
    before = [world.recording.cursor for world in worlds.both]
    for _ in range(30):
        bench.press("left")
    assert all(world.recording.cursor < count for world, count in zip(worlds.both, before, strict=True))
    bench.press("home")
    assert bench.ui.mode.at_ns < worlds.length_ns // 2


def test_n_goes_to_the_next_difference_and_says_who_tells_it(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    command(bench, f"compare {runs[1].name}")
    bench.ui.overlay_scroll = -1
    bench.press("n")
    assert bench.said.partition(" s, ")[2][:2] in ("A:", "B:")
    bench.ui.overlay_scroll = 1
    bench.press("left_square_bracket")
    assert bench.ui.overlay_scroll == 0 and "both: The nodes start." in bench.said
    bench.press("left_square_bracket")
    assert bench.said == "no more this way"


def test_a_branch_stands_beside_its_parent(runs: tuple[Path, Path]) -> None:
    update_facts(runs[1], parent=runs[0].name, branch_events=1, branch_s=1.5)
    bench = bench_on(runs[1])
    bench.press("C")
    bench.host.finish()
    worlds = bench.ui.worlds
    assert worlds is not None and worlds.parted_ns == 1_500_000_000
    assert (worlds.left.run, worlds.right.is_borrowed) == (runs[0].name, True)
    update_facts(runs[1], parent="")


def test_a_run_without_a_parent_says_what_else_can_be_compared(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    bench.press("C")
    assert "no branch" in bench.said and "compare RUN" in bench.said and "H changes this one" in bench.said
    command(bench, "compare 19990101")
    assert "19990101" in bench.said and bench.ui.worlds is None


def test_one_key_asks_what_is_to_be_changed_and_plays_it_again(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    bench.press("H")
    assert isinstance(bench.ui.mode, Typing) and "whatif acks=1" in bench.ui.mode.suggestions
    command(bench, "whatif pre_vote=off")
    worlds = bench.ui.worlds
    assert worlds is not None and isinstance(bench.ui.mode, Comparison)
    assert worlds.right.title == "with pre_vote=off" and worlds.caption == ""
    assert worlds.right.kind == worlds.left.kind == "simulated, seed 3"


def test_what_cannot_be_changed_is_said(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    command(bench, "whatif moon=full")
    assert "'moon' is nothing that can be changed" in bench.said and bench.ui.worlds is None


def test_another_run_on_screen_ends_the_comparison(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    command(bench, f"compare {runs[1].name}")
    bench.ui.recording.reset()
    assert "no two runs to compare" in "\n".join(draw_screen(120, 40, bench.ui).text_rows())
    bench.press("left", "n", "enter")
    bench.press("escape", "C")
    assert bench.ui.worlds is None and "no branch" in bench.said


def test_what_was_read_for_a_run_that_is_gone_is_not_shown(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    bench.commands.worlds.show_runs(*runs)
    work = bench.host.begun.pop()

    async def gone() -> None:
        reading = asyncio.ensure_future(work)
        await asyncio.sleep(0)
        bench.ui.recording.reset()
        await reading

    asyncio.run(gone())
    assert bench.ui.worlds is None and not isinstance(bench.ui.mode, Comparison)


def test_two_runs_with_a_caption_are_what_a_lesson_shows(runs: tuple[Path, Path]) -> None:
    bench = Bench(Path(), live=False)
    bench.commands.worlds.show_runs(*runs, ("your answer", "what happened"), "With acks=1 it would be so.")
    bench.host.finish()
    worlds = bench.ui.worlds
    assert worlds is not None and worlds.caption == "With acks=1 it would be so."
    assert [world.title for world in worlds.both] == ["your answer", "what happened"]
    assert [figure.left for figure in worlds.figures if figure.word == "promises broken"] == ["0"]
    assert not worlds.left.is_borrowed and not worlds.right.is_borrowed


def test_what_is_played_again_can_be_stopped(runs: tuple[Path, Path]) -> None:
    bench = bench_on(runs[0])
    bench.commands.submit("whatif pre_vote=off")
    (playing,) = bench.host.begun
    bench.host.begun.clear()

    async def press() -> None:
        bench.press("escape")

    async def both() -> None:
        await asyncio.gather(playing, press())

    asyncio.run(both())
    assert bench.said.endswith("stopped") and bench.ui.worlds is None and bench.ui.stops is None
