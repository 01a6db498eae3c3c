"""A script against a lab that only writes a trace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cluster.model.events import ExpectationChecked, LessonStep
from cluster.scenario.main import run_script
from cluster.trace.reader import read_all
from tests.support.worlds.paper_lab import Labs


def _run(tmp_path: Path, text: str, *, as_json: bool = False) -> tuple[int, Labs]:
    script, labs = tmp_path / "scenario.txt", Labs(tmp_path)
    script.write_text("cluster\n" + text)
    return run_script(script, as_json=as_json, launch=labs), labs


def test_a_script_that_holds_ends_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "remember e = quorum epoch\nremember old = leader of quorum\nkill $old\nexpect quorum epoch = e + 1\n"
    code, labs = _run(tmp_path, text + "keep leader of quorum = 102 for 20ms\nsay done\n")
    assert code == 0
    assert labs.made[0].commands == ["kill 101"]
    assert labs.made[0].closed
    lines = capsys.readouterr().out.splitlines()
    assert lines[-1] == "2 expectations held"
    assert "$ kill 101" in lines[3]
    events = [entry.event for entry in read_all(tmp_path / "run0" / "trace") if entry.node == 9001]
    assert [type(event) for event in events] == [LessonStep, ExpectationChecked, ExpectationChecked]


def test_a_command_waits_for_its_event_in_the_trace_and_is_sent_once(tmp_path: Path) -> None:
    when = "when raft.leader_elected on 102 epoch=2 then pause 1\n"
    code, labs = _run(tmp_path, when + "kill 101\nkeep leader of quorum = 102 for 100ms\nkill 102\n")
    assert code == 0, "what becomes of a command that waited is for the expectations to see"
    assert labs.made[0].commands == ["kill 101", "pause 1", "kill 102"]


def test_a_missed_deadline_says_what_was_seen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, labs = _run(tmp_path, "expect quorum epoch = 7 within 30ms\nkill 1\n")
    assert code == 1
    assert labs.made[0].commands == [], "nothing runs after a failed step"
    assert labs.made[0].closed
    out = capsys.readouterr().out
    assert "not reached within 0.03 s; quorum epoch was 1" in out
    assert out.splitlines()[-1] == "0 expectations held, the script failed"


def test_a_refused_command_fails_the_script(tmp_path: Path) -> None:
    assert _run(tmp_path, "pause 1\n")[0] == 1


def test_a_bad_script_starts_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, labs = _run(tmp_path, "kill 9\n")
    assert (code, labs.made) == (4, [])
    assert "line 2: no node 9 in this cluster" in capsys.readouterr().err
    (tmp_path / "scenario.txt").write_bytes(b"cluster\n\xff\n")
    assert run_script(tmp_path / "scenario.txt", as_json=False, launch=labs) == 4
    assert "line 2: not UTF-8 at byte 8" in capsys.readouterr().err
    assert run_script(tmp_path / "missing.txt", as_json=False, launch=labs) == 3


def test_json_prints_one_object_for_each_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _run(tmp_path, "expect leader of quorum\n[two]\ncluster\nstatus\n", as_json=True)[0] == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [line.get("kind") for line in lines] == ["cluster", "expect", "cluster", "do", None]
    assert lines[-1] == {"held": True, "expectations": 1, "good": 1}
