"""What stands behind a # opens its app; a link that means nothing is one sentence, and opens nothing."""

from __future__ import annotations

import asyncio
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import pytest

from cluster.scenario.script import ScriptError
from tests.support.worlds.shared_runs import plain_run
from workbench.challenges.catalogue import HUNT
from workbench.course.incidents import UnknownIncident
from workbench.course.library import UnknownLesson
from workbench.session.sharing.shared_run import text_of
from workbench.session.sharing.text_of_run import shared_of
from workbench.support.platform import in_background
from workbench.support.refusal import Refusal
from workbench.tui.app import WorkbenchApp
from workbench.tui.screens.home import HomeApp
from workbench.tui.screens.home_choices import Choice
from workbench.tui.settings import Settings
from workbench.web.links import LINK_MAX, NEEDS_INSTALLED, Link, Opened, next_link, open_link, read_link
from workbench.web.tab import MISTAKES


def opened(text: str, home: Path) -> Opened:
    """As a tab opens it: where no loop runs yet."""
    return asyncio.run(in_background(open_link, read_link(text), home, Settings()))


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("", Link("lab")),
        ("#", Link("lab")),
        ("#lab", Link("lab")),
        ("#lesson=5", Link("lesson", "5")),
        ("#lesson=5&seed=9", Link("lesson", "5", {"seed": "9"})),
        ("#lab&script=kill%202%0Aheal&seed=1", Link("lab", "", {"script": "kill 2\nheal", "seed": "1"})),
        ("#compare=a&with=b", Link("compare", "a", {"with": "b"})),
    ],
)
def test_a_link_is_read(text: str, link: Link) -> None:
    assert read_link(text) == link


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("#lab&load=off", ""),
        ("#lab&script=kill%202", "Lab of a script"),
        ("#lesson=1", "one record"),
        ("#challenge=1", ""),
        (f"#challenge={HUNT.number}", "hunt"),
        ("#hunt=2", "hunt"),
        ("#incident=02_kip_101_loss", ""),
    ],
)
def test_each_kind_opens_the_screen(text: str, title: str, tmp_path: Path) -> None:
    app = opened(text, tmp_path).app
    assert isinstance(app, WorkbenchApp)
    assert title.lower() in app.ui.title.lower()


def test_runs_opens_the_list_of_them(tmp_path: Path) -> None:
    assert isinstance(opened("#runs", tmp_path).app, HomeApp)


def test_a_recording_is_replayed_compared_and_played_again_from_its_text(tmp_path: Path) -> None:
    run = plain_run(tmp_path)
    assert opened(f"#replay={run.name}", tmp_path).app.session.run_folder == run
    assert isinstance(opened(f"#compare={run.name}&with={run.name}", tmp_path).app, WorkbenchApp)
    again = opened(f"#run={text_of(asyncio.run(shared_of(run)))}", tmp_path).app.session.run_folder
    assert again != run and again.is_dir()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("#nothing=1", "nothing is called 'nothing' here; there are lab, lesson"),
        ("#rule", "rule: this needs the installed tool"),
        ("#quiz=before", "quiz: this needs the installed tool"),
        ("#%1b[2J<b>", r"nothing is called '[^\x1b]*' here"),
        (f"#lab&script={'x' * LINK_MAX}", f"at most {LINK_MAX}"),
        ("#lab&seed=-1", "seed: needs a number from 0"),
        ("#lab&seed=%D9%A3", "seed: needs a number from 0"),
        (f"#lab&seed={'9' * 3000}", "seed: needs a number from 0"),
        ("#lab&script=dance%202", "dance"),
        ("#lab&load=a%20lot", "load"),
        ("#lesson=99", "'99' is no lesson"),
        ("#lesson=", "not a lesson name"),
        ("#lesson=../../etc", "etc"),
        ("#challenge=99", "no challenge '99'; there are 1 to 10"),
        ("#challenge=%1b", "no challenge"),
        ("#challenge=8", f"takes a file: it {NEEDS_INSTALLED}"),
        ("#hunt=9", "no level 9; there are 1 to 3"),
        ("#hunt=%3Cb%3E", "<b>"),
        ("#incident=none", "none"),
        ("#replay=none", "'none'"),
        ("#compare=a&with=b", "'b'"),
        ("#run=kraft1-AAAA", "text"),
        ("#run=", "no text of a run"),
    ],
)
def test_a_link_that_means_nothing_is_one_sentence_and_leaves_no_run(text: str, sentence: str, tmp_path: Path) -> None:
    with pytest.raises(MISTAKES, match=sentence) as mistake:
        opened(text, tmp_path)
    assert "\n" not in str(mistake.value) and "\x1b" not in str(mistake.value)
    assert not (tmp_path / "runs").exists() or not any((tmp_path / "runs").iterdir())


def test_many_options_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="options"):
        opened("#lab" + "&a=1" * 30, tmp_path)


def test_each_mistake_of_a_link_is_one_that_the_tab_tells() -> None:
    assert {Refusal, ScriptError, UnknownLesson, UnknownIncident} <= set(MISTAKES)


def left(choice: Choice | None = None, **more: object) -> SimpleNamespace:
    """An app after it was left."""
    return SimpleNamespace(return_value=choice, **more)


@pytest.mark.parametrize(
    ("choice", "link"),
    [
        (Choice("free", "simulated", "", "a simulated lab"), Link("lab")),
        (Choice("lessons", "lesson", "05_isr", "5"), Link("lesson", "05_isr")),
        (Choice("runs", "replay", "a-run", "a run"), Link("replay", "a-run")),
        (Choice("runs", "compare", "b", "a"), Link("compare", "a", {"with": "b"})),
    ],
)
def test_what_is_chosen_in_the_list_is_opened_next(choice: Choice, link: Link) -> None:
    assert next_link(left(choice)) == link


def test_what_needs_processes_is_not_opened_and_says_why() -> None:
    with pytest.raises(Refusal, match=NEEDS_INSTALLED):
        next_link(left(Choice("free", "lab", "", "a lab of processes")))


def test_a_lesson_goes_on_with_the_next_one_and_a_challenge_too() -> None:
    assert next_link(left(next_lesson=SimpleNamespace(name="02_isr"))) == Link("lesson", "02_isr")
    assert next_link(left(next_challenge=4)) == Link("challenge", "4")
    assert next_link(left()) is None


def test_a_script_of_text_is_quoted_as_an_address_is(tmp_path: Path) -> None:
    script = "topic orders replicas=3\nproduce orders 5"
    assert isinstance(opened(f"#lab&script={quote(script)}&seed=3", tmp_path).app, WorkbenchApp)
