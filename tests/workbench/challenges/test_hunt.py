from __future__ import annotations

from pathlib import Path

import pytest

from cluster.runtime.run.folder import read_facts
from workbench.challenges.bugs.sealed import SEALED
from workbench.challenges.hunt import found_names, hand_in, next_of, record, seal_logs
from workbench.runs.sealed import is_sealed
from workbench.support.refusal import Refusal

BUG = next(item for item in SEALED if item.bug.id == "replication/answers-at-once")
PLAIN = "produce orders 2 acks=all\n"


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "mine.txt"
    path.write_text(PLAIN, "utf-8")
    return path


def test_the_right_rule_and_script_find_it_and_the_run_is_kept_under_its_sealed_name(
    script: Path, tmp_path: Path
) -> None:
    handed_in = hand_in(BUG, "P18", script, 0, tmp_path / "home")
    assert handed_in.found and handed_in.commands == 2
    title = read_facts(handed_in.run).title
    assert is_sealed(title) and BUG.name in title


def test_another_rule_does_not_and_nothing_is_said_of_the_right_one(script: Path, tmp_path: Path) -> None:
    handed_in = hand_in(BUG, "R1", script, 0, tmp_path / "home")
    assert not handed_in.found and "R1 is not broken" in handed_in.what and "P18" not in handed_in.what


def test_a_script_that_the_sound_cluster_does_not_play_shows_nothing(script: Path, tmp_path: Path) -> None:
    script.write_text(f"{PLAIN}expect lost orders-0 = 9 within 1s\n", "utf-8")
    handed_in = hand_in(BUG, "P18", script, 0, tmp_path / "home")
    assert not handed_in.found and "line 4: expect lost orders-0 = 9" in handed_in.what


def test_what_is_no_rule_or_asks_the_checker_is_refused(script: Path, tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="no rule 'P99'"):
        hand_in(BUG, "P99", script, 0, tmp_path)
    script.write_text(f"{PLAIN}expect verdict P18 violated\n", "utf-8")
    with pytest.raises(Refusal, match="may not ask the checker"):
        hand_in(BUG, "P18", script, 0, tmp_path)


def test_tries_are_counted_and_the_next_of_a_level_is_one_that_is_open(script: Path, tmp_path: Path) -> None:
    first = next_of(BUG.level, tmp_path)
    record(BUG, "R1", hand_in(BUG, "R1", script, 0, tmp_path / "home"), tmp_path)
    assert found_names(tmp_path) == set()
    record(BUG, "P18", hand_in(BUG, "P18", script, 0, tmp_path / "home"), tmp_path)
    assert found_names(tmp_path) == {BUG.name}
    assert next_of(BUG.level, tmp_path) is (first if first is not BUG else next_of(BUG.level, tmp_path))
    assert next_of(BUG.level, tmp_path) is not BUG


def test_a_crashed_node_keeps_its_last_word_only(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    log = tmp_path / "logs" / "1.log"
    log.write_text("up\nTraceback (most recent call last):\n  File x, in _secret\nAssertionError: so\n", "utf-8")
    seal_logs(tmp_path)
    assert log.read_text("utf-8") == "AssertionError: so\n"
