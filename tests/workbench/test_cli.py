"""The commands as a user types them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import story

from cluster.trace.entry import encode_entry


def workbench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def recorded_run(folder: Path) -> Path:
    (folder / "trace").mkdir(parents=True)
    files: dict[int, bytes] = {}
    for entry in story.full_story():
        files[entry.node] = files.get(entry.node, b"") + encode_entry(entry)
    for node, content in files.items():
        (folder / "trace" / f"{node}-0.trace").write_bytes(content)
    return folder


def test_export_prints_every_event_as_one_json_object(tmp_path: Path) -> None:
    done = workbench("export", str(recorded_run(tmp_path / "run")))
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0
    assert len(lines) == len(story.full_story())
    assert [line["t_ns"] for line in lines] == sorted(line["t_ns"] for line in lines)


def test_a_folder_that_is_no_run_gets_one_message_and_exit_4(tmp_path: Path) -> None:
    done = workbench("export", str(tmp_path / "no\x1bthing"))
    assert done.returncode == 4
    assert "is not a recorded run" in done.stderr
    assert "\x1b" not in done.stderr
    assert "Traceback" not in done.stderr


def test_garbage_in_a_trace_gets_one_message_and_exit_4(tmp_path: Path) -> None:
    run = recorded_run(tmp_path / "run")
    (run / "trace" / "77-0.trace").write_bytes(b"\x00\x00\x00\x05abcde")
    done = workbench("export", str(run))
    assert done.returncode == 4
    assert "77-0.trace" in done.stderr
    assert "Traceback" not in done.stderr


def test_replay_without_a_terminal_says_so(tmp_path: Path) -> None:
    done = workbench("replay", str(recorded_run(tmp_path / "run")))
    assert done.returncode == 2
    assert "terminal" in done.stderr


def test_an_unknown_command_is_bad_usage() -> None:
    assert workbench("lunch").returncode == 2
