"""Every lesson on real processes: once here, twenty times in a row in the slow loop."""

from __future__ import annotations

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.watching import processes_of, workbench
from workbench.course.library import find_lesson, lesson_names
from workbench.runs.judgement import DEADLINES

pytestmark = [pytest.mark.processes, pytest.mark.xdist_group("lessons")]
ROUNDS = 20
AT_ONCE = 4
KEPT = Path(__file__).parents[2] / "build" / "failed-lessons"
"""A lesson that fails once in a hundred plays is found by its recording, or not at all."""
APART_MAX = 3


def played(home: Path, lesson: str) -> None:
    done = workbench(home, "play", lesson)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr
    assert done.stdout.splitlines()[-1] == "1 lesson passed, 0 failed"
    assert not processes_of(home)


def verdicts_of(home: Path, lesson: str, *options: str) -> dict[str, set[str]]:
    """By verdict, the rules over all runs of a lesson that passes; what needs time to say something is left out."""
    done = workbench(home, "play", lesson, "--json", *options)
    told = [json.loads(line) for line in done.stdout.splitlines()]
    summary: dict[str, Any] = next((line for line in told if line.get("kind") == "verdicts"), {})
    wrong = [line for line in told if line.get("held") is False or line.get("kind") == "mistake"]
    if done.returncode:
        kept = shutil.make_archive(str(KEPT / f"{lesson}-{home.name}"), "gztar", home)
        pytest.fail(f"{wrong}\n{summary}\n{done.stderr}\nits recordings are kept in {kept}")
    assert told[-1] == {"passed": 1, "failed": 0}
    table = summary["verdicts"]
    silent = {rule for rule in table.pop("NOT EVALUATED") if rule[0] in "RPC"}
    return {verdict: set(rules) for verdict, rules in table.items()} | {"silent": silent}


def differences(home: Path, lesson: str) -> str:
    """What one world says of a lesson and the other does not; empty when both say the same.

    Time decides whether a rule or two has anything to look at, say a restart before a session runs out. Where only one
    world had, the rule holds there. Of what breaks along with a disk that lies, what the lesson promises is the same.
    """
    promised = {rule for rules in find_lesson(lesson).breaks.values() for rule in rules}
    lived = verdicts_of(home / "lived", lesson)
    simulated = verdicts_of(home / "simulated", lesson, "--simulated")
    apart = lived.pop("silent") ^ simulated.pop("silent")
    for world in (lived, simulated):
        world["EXPECTED"] &= promised
    lived["VIOLATED"] = {rule for rule in lived["VIOLATED"] if not rule.startswith(DEADLINES)}
    if lived == simulated and len(apart) <= APART_MAX:
        return ""
    return f"{lesson}: {lived} on processes, {simulated} simulated, judged in one alone: {sorted(apart)}"


@pytest.mark.parametrize("first", range(0, len(lesson_names()), AT_ONCE))
def test_lessons_pass_in_both_worlds_with_the_same_verdicts(tmp_path: Path, first: int) -> None:
    """Rule T7: what is shown in one world is what is shown in the other. A lesson mostly waits: some go at once."""
    lessons = lesson_names()[first : first + AT_ONCE]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = list(pool.map(lambda lesson: differences(tmp_path / lesson, lesson), lessons))
    assert not [words for words in found if words]
    assert not processes_of(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("lesson", lesson_names())
def test_a_lesson_passes_twenty_times_in_a_row(tmp_path: Path, lesson: str) -> None:
    for _ in range(ROUNDS):
        played(tmp_path, lesson)


@pytest.mark.first
def test_json_has_one_object_a_line_and_the_result_last(tmp_path: Path) -> None:
    done = workbench(tmp_path, "play", "2", "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1] == {"passed": 1, "failed": 0}
    asked = [line["question"] for line in lines if line.get("kind") == "predict"]
    assert asked == [question.id for _, question in find_lesson("2").questions]


def test_a_script_that_does_not_hold_ends_with_1_and_leaves_nothing(tmp_path: Path) -> None:
    script = tmp_path / "wrong.txt"
    script.write_text("cluster controllers=1 brokers=1\nexpect quorum epoch = 77 within 2s\n")
    done = workbench(tmp_path / "home", "run", str(script))
    assert done.returncode == 1
    assert "not reached within 2 s" in done.stdout
    assert not processes_of(tmp_path)
