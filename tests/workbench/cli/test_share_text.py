"""`workbench share` and `workbench open`: what they print, and what they refuse."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.worlds.shared_runs import lab_run
from workbench.cli.share_text import open_text, share
from workbench.session.sharing.shared_run import shared_in, text_of
from workbench.support.refusal import BAD_DATA, Refusal


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = lab_run(tmp_path_factory.mktemp("home"), ("topic orders replicas=3", "kill 1"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", printed := io.StringIO())
        assert share(folder) == 0
    return printed.getvalue().strip()


def test_a_text_is_checked_and_shown(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert open_text(text, str(tmp_path), checks=True) == 0
    assert "the same run to the byte" in capsys.readouterr().out
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    monkeypatch.setenv("WORKBENCH_PLAIN", "on")
    assert open_text("-", str(tmp_path), checks=False) == 0
    seen = capsys.readouterr()
    assert "the same run to the byte" in seen.err and "The nodes start" in seen.out


def test_another_run_is_said_to_be_one(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    shared = shared_in(text)
    for changed, why in (("0.1.0", "rules"), ("\x1b[2J9.9", "program")):
        forged = text_of(type(shared)(**{name: getattr(shared, name) for name in shared.__slots__} | {
            "trace_hash": b"\x00" * 8, "program": changed}))  # fmt: skip
        assert open_text(forged, str(tmp_path), checks=True) == 1
        said = capsys.readouterr().out
        assert "NOT the same run" in said and why in said and "\x1b" not in said


def test_a_flood_on_stdin_is_not_read_to_its_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            assert size is not None and 0 < size < 100_000
            return "\x1b[31m" * (size // 5)

    monkeypatch.setattr(sys, "stdin", Endless())
    with pytest.raises(Refusal) as refusal:
        open_text("-", str(tmp_path), checks=True)
    assert refusal.value.code == BAD_DATA and not (tmp_path / "runs").exists()


def test_a_stranger_s_text_is_one_sentence_on_stderr(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "workbench", "open", "\x1b[31m<b>hello", "--data-dir", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == BAD_DATA and not done.stdout
    assert done.stderr.count("\n") == 1 and "\x1b" not in done.stderr and "no text of a run" in done.stderr
