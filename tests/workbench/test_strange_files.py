"""No file of somebody else's can stop a command: a pipe, a device, a link to either is refused at once."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType

import pytest

from cluster.runtime.run.folder import RunError, read_facts
from cluster.scenario.main import read_script
from cluster.scenario.output import seed_of
from cluster.scenario.script import ScriptError
from cluster.simulation.lab.journal import JournalError, read_journal
from workbench.analysis.campaign.fields import CampaignError
from workbench.analysis.campaign.read_file import read_campaign
from workbench.course.lesson_error import LessonError
from workbench.course.reading.lesson_folder import read_folder
from workbench.session.lesson.on_screen import FOLDER, shown_steps
from workbench.support.refusal import Refusal
from workbench.support.state_files import read_state
from workbench.tui.settings import VARIABLE, read_settings

Make = Callable[[Path], object]
MAKES: dict[str, Make] = {"a pipe": os.mkfifo, "a link to a device": lambda path: path.symlink_to("/dev/zero")}


@pytest.fixture(autouse=True)
def _at_once() -> Iterator[None]:
    """Whatever takes 5 s waits for something that never comes."""

    def give_up(_number: int, _frame: FrameType | None) -> None:
        pytest.fail("still reading")

    before = signal.signal(signal.SIGALRM, give_up)
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(params=MAKES)
def make(request: pytest.FixtureRequest) -> Make:
    return MAKES[request.param]


def test_the_facts_of_a_run(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "run.json")
    with pytest.raises(RunError, match="run.json cannot be read: "):
        read_facts(tmp_path)


def test_answers_and_other_small_state(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "answers.json")
    assert read_state(tmp_path / "answers.json") == {}


@pytest.mark.parametrize("name", ["lesson.md", "scenario.txt"])
def test_a_lesson(make: Make, name: str, tmp_path: Path) -> None:
    (tmp_path / "lesson.md").touch()
    (tmp_path / name).unlink(missing_ok=True)
    make(tmp_path / name)
    with pytest.raises(LessonError, match=rf"{name}:1: "):
        read_folder(tmp_path)


def test_a_script(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "script.txt")
    with pytest.raises(ScriptError, match="not an ordinary file|a pipe that nobody writes into"):
        read_script(tmp_path / "script.txt")
    assert seed_of(tmp_path / "script.txt") is None


def test_the_journal_of_a_simulated_run(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "journal.jsonl")
    with pytest.raises(JournalError):
        read_journal(tmp_path / "journal.jsonl")


def test_a_campaign(make: Make, tmp_path: Path) -> None:
    make(tmp_path / "c.toml")
    with pytest.raises(CampaignError, match="c.toml: "):
        read_campaign(tmp_path / "c.toml")


def test_the_configuration(make: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(tmp_path / "config.toml")
    monkeypatch.setenv(VARIABLE, str(tmp_path / "config.toml"))
    with pytest.raises(Refusal, match="config.toml: "):
        read_settings()


def test_what_screens_show(make: Make, tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    make(tmp_path / FOLDER / "7.json")
    assert shown_steps(tmp_path) == []
