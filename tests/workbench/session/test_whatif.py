"""A run played once more with one thing changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model import events as ev
from cluster.model.entry import Entry
from cluster.trace.reader import read_all
from tests.support.traces.story import full_story
from workbench.cli.run_script import run_script
from workbench.runs.launch import WorldChoice
from workbench.session.changes import WhatIfError, changes_of
from workbench.session.comparison import Worlds, read_world
from workbench.session.whatif import deeds_of_trace, play_again, play_of

SCRIPT = """cluster controllers=3 brokers=3
topic orders assign=1,2,3 min-isr=1
produce orders 3 acks=1
at 2s cut 1>2,1>3,2>1,3>1
at 2.5s produce orders 2 acks=1
at 3s kill 1
at 5s heal 1
at 6s start 1
at 9s heal
"""


def played(home: Path, text: str = SCRIPT) -> Path:
    script = home / "script.txt"
    script.write_text(text)
    assert run_script(script, as_json=True, home=home, world=WorldChoice(simulated=True, seed=4)) == 0
    return max((home / "runs").iterdir())


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("home"))


def entries_of(folder: Path) -> list[Entry]:
    return list(read_all(folder / "trace"))


def test_with_acks_all_what_was_lost_with_acks_1_was_never_acknowledged(run: Path, tmp_path: Path) -> None:
    before = read_world(run, "as it was")
    twin = play_again(tmp_path, play_of(run, before.length_ns), changes_of("acks=all"))
    worlds = Worlds(before, read_world(twin, "acks=all"))
    figures = {item.word: (item.left, item.right) for item in worlds.figures}
    assert figures["acknowledged and lost"] == ("2", "0")
    assert worlds.difference is not None and worlds.difference.since_ns > 2_000_000_000
    worlds.close()


def test_with_nothing_changed_it_is_the_same_story(run: Path, tmp_path: Path) -> None:
    before = read_world(run)
    worlds = Worlds(before, read_world(play_again(tmp_path, play_of(run, before.length_ns), changes_of("elr=on"))))
    assert worlds.difference is None and all(row.left and row.right for row in worlds.rows)
    worlds.close()


def test_a_setting_of_the_second_world_is_told_by_its_run(run: Path, tmp_path: Path) -> None:
    twin = play_again(tmp_path, play_of(run, 3_000_000_000), changes_of("pre_vote=off"))
    entries = entries_of(twin)
    assert any(isinstance(entry.event, ev.RunStarted) and '"pre_vote":false' in entry.event.config.replace(" ", "")
               for entry in entries)  # fmt: skip
    assert not any(isinstance(entry.event, ev.ElectionStarted) and entry.event.pre_vote for entry in entries)
    assert (entries[-1].t_ns - entries[0].t_ns) / 1e9 == pytest.approx(3, abs=0.1)


def test_whoever_waits_can_end_it(run: Path, tmp_path: Path) -> None:
    shares: list[float] = []

    def tell(share: float) -> bool:
        shares.append(share)
        return len(shares) < 3

    twin = play_again(tmp_path, play_of(run, 9_000_000_000), changes_of("elr=off"), tell)
    assert len(shares) == 3 and shares == sorted(shares) and entries_of(twin)


def test_what_a_trace_tells_is_turned_back_into_commands(run: Path) -> None:
    deeds, leader = deeds_of_trace(entries_of(run))
    commands = [deed.command or f"heal {deed.heals}" for deed in deeds]
    assert commands[0] == "topic orders assign=1,2,3 min-isr=1 wait=no"
    assert commands.count("produce orders-0 1 acks=1 wait=no") == 5
    cut = next(command for command in commands if command.startswith("cut"))
    assert commands.index(cut) < commands.index("kill 1") < commands.index(f"heal {cut}") < commands.index("start 1")
    assert leader in (101, 102, 103) and [deed.at_ns for deed in deeds] == sorted(deed.at_ns for deed in deeds)


def test_the_first_leader_of_real_processes_is_the_one_that_led_first() -> None:
    assert deeds_of_trace(full_story())[1] == 1


def test_what_is_no_run_is_refused_in_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(WhatIfError, match="cannot be played again"):
        play_of(tmp_path, 1)
