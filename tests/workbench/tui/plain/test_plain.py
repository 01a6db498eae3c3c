"""Sentences out, commands in: the workbench without a screen."""

from __future__ import annotations

import asyncio
import io
import re
from pathlib import Path
from time import monotonic

import pytest

from tests.support.traces import story
from tests.support.worlds.small_lesson import letter_of, write_lesson
from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.content import letters
from workbench.course.progress import finished_lessons
from workbench.runs.wanted import Wanted
from workbench.session import hearing
from workbench.session.beginning import begin_lab
from workbench.session.branch import paced_launcher
from workbench.session.lesson.otherwise import NO_OTHER_WORLD
from workbench.session.lesson.page import SIMULATED_LAB
from workbench.session.pace import Pace
from workbench.session.recording import Recording
from workbench.session.session import Session
from workbench.tui.plain.console import Console, follow_lab, say
from workbench.tui.plain.lesson import play_lesson
from workbench.tui.plain.lines import find_event, moment_lines, story_lines, why_lines
from workbench.tui.settings import Settings
from workbench.tui.showing import show


def recording() -> Recording:
    made = Recording()
    made.extend(story.full_story())
    return made


def test_a_reader_hears_words_and_no_glyphs() -> None:
    run = recording()
    lines = list(moment_lines(run))
    assert all(line.isascii() and line.isprintable() for line in lines)
    (cut,) = [line for line in lines if " cuts its log" in line]
    assert "n1 cuts its log of orders-0 from 10 to 7" in cut
    assert any("n3 leads the quorum in e3, with 3 of 5 votes." in line for line in lines)


def test_a_headline_that_goes_on_with_the_one_before_says_only_what_is_new() -> None:
    run = recording()
    first = next(place for place, moment in enumerate(run.story.moments) if moment.text.startswith("n1 is fenced"))
    assert run.story.moments[first + 1].text.startswith(run.story.moments[first].text), "as the screen has them"
    whole, rest = list(moment_lines(run, first))[:2]
    assert "n1 is fenced" in whole and "fenced" not in rest and "n2 leads orders-0 in e1." in rest
    assert list(moment_lines(run))[first + 1] == rest == next(moment_lines(run, first + 1))


def test_the_story_is_read_out_from_its_beginning() -> None:
    run = recording()
    lines = list(story_lines(run, "story"))
    heads = [line for line in lines if re.match(r" *[0-9]+\.[0-9] ", line)]
    assert [float(line.split()[0]) for line in heads] == sorted(float(line.split()[0]) for line in heads)
    killed = next(place for place, line in enumerate(lines) if "n1, the leader, was killed" in line)
    assert any("SPLIT VOTE" in line for line in lines[killed : killed + 6])
    assert len(list(story_lines(run, "details"))) > len(lines) and all(line.isascii() for line in lines)


def test_an_event_is_asked_for_by_its_time_and_node() -> None:
    run = recording()
    assert find_event(run, "") == run.story.moments[-1].place
    for line in moment_lines(run):
        time = line.split()[0]
        found = find_event(run, time)
        assert found is not None and f"{run.seconds(run.entries[found].t_ns):.3f}" == time
    decided = next(index for index, entry in enumerate(run.entries) if entry.decision is not None)
    entry = run.entries[decided]
    found = find_event(run, f"{run.seconds(entry.t_ns):.3f} n{entry.node}")
    assert found is not None and run.entries[found].node == entry.node
    assert (
        find_event(run, "99.000") is None and find_event(run, "soon") is None and find_event(run, "1.469 n77") is None
    )
    assert find_event(Recording(), "") is None


def test_why_ends_with_what_set_it_off() -> None:
    run = recording()
    index = find_event(run, "3.055")
    assert index is not None
    lines = list(why_lines(run, index))
    assert lines[0].startswith("why: 3.055 s n1 cut: orders-0") and lines[-1].startswith("  set off by ")
    decided = next(index for index, entry in enumerate(run.entries) if entry.decision is not None)
    lines = list(why_lines(run, decided))
    assert lines[1].startswith("  Because ") and lines[2].startswith("    rule ")
    assert all(line.isascii() for index in range(len(run.entries)) for line in why_lines(run, index))


def test_a_broken_promise_is_said_once_as_soon_as_it_is_found(capsys: pytest.CaptureFixture[str]) -> None:
    session = Session(Path(), None)
    console = Console(session)
    console.tell_violated()
    session.recording.extend(story.full_story())
    while console.verdicts.turn():
        pass
    console.tell_violated()
    console.tell_violated()
    assert re.fullmatch("VIOLATED: R4, .*; verdicts tells how\n", capsys.readouterr().out)


def said(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("".join(f"{line}\n" for line in lines)))


def test_a_simulated_cluster_is_driven_line_by_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said(monkeypatch, "", "speed max", "kill 101", "kil 2", "wait 0.2", "halt", "why", "why 99.9", "verdicts", "help",
         "speed fast", "quit", "kill 2")  # fmt: skip
    assert show(
        begin_lab(Wanted(data_dir=str(tmp_path), simulated=True, seed=3)), SIMULATED_LAB, Settings(plain=True)
    ) == (0, None)
    out = capsys.readouterr().out
    lines = out.splitlines()
    assert out.isascii() and "\x1b" not in out
    for told in (
        "virtual time at max", "ok node 101 is killed", "NO unknown command: 'kil'; did you mean kill?",
        "time is halted", "no event that was said has this time and node", "next-event, next-mark: on to",
        "a speed is a number from 0.01 to 50, or max",
    ):  # fmt: skip
        assert any(told in line for line in lines), (told, out)
    assert sum(bool(re.match(r"why: [0-9.]+ s ", line)) for line in lines) == 1
    assert any(re.match(r"[0-9]+ promises checked, all kept", line) for line in lines)
    assert any("n101" in line and "You killed" in line for line in lines)
    assert "node 2 is killed" not in out and "seed 3; the run is recorded" in lines[-1]
    times = [float(found[1]) for line in lines if (found := re.match(r" *([0-9]+\.[0-9]{3}) ", line))]
    assert times == sorted(times) and len(times) > 3


def test_a_lesson_is_read_predicted_and_done_without_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson = write_lesson(tmp_path)
    wrong, right = letter_of(lesson, "dead-leads"), letter_of(lesson)
    home, pace = tmp_path / "home", Pace()
    home.mkdir()
    pace.set("max")
    said(monkeypatch, "b", "n", "", "", "", "e", "ab", wrong, "R", "", "text", "n", "n", "terms", "quit")
    assert play_lesson(lesson, paced_launcher(home, 7, pace, lesson.script), progress_folder=home, pace=pace) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    for told in (
        "this is the first step", "do this step first: enter", "[enter: do it]", "leads the quorum in e1",
        "step 2/3", "Who leads afterwards?", "  a: ", "[choose: a b c]", "predict first: a, b, c",
        "unknown command: 'e'", "unknown command: 'ab'", f"your prediction: {wrong}; enter does the step",
        "nothing to try again", f"In this run {right} is right.", "x In no run: it does not answer.",
        "+ Two of three are enough.", "step 3/3", "0 of 1 questions right.", "1. Two of three elect.",
    ):  # fmt: skip
        assert told in out, (told, out)
    assert out.index("[choose: a b c]") < out.index("your prediction") < out.index("In this run")
    assert finished_lessons(home) == ("01_small",)


def test_the_other_world_of_a_wrong_answer_and_the_challenge_are_told_without_a_screen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lesson = steps_lesson(tmp_path)
    first, transfer = (letters(asked, 0) for _, asked in lesson.questions)
    wrong = next(letter for letter, option in first.items() if option.misconception == "dead-leads")
    home, pace = tmp_path / "home", Pace()
    home.mkdir()
    pace.set("max")
    said(monkeypatch, "o", "", "", "n", wrong, "", "o", "c", "n", "start 1", "wait 1", "n", next(iter(transfer)), "",
         "n", "n", "c", "quit")  # fmt: skip
    assert play_lesson(lesson, paced_launcher(home, 7, pace, lesson.script), progress_folder=home, pace=pace) == 0
    out = capsys.readouterr().out
    assert out.index(NO_OTHER_WORLD) < out.index("playing this once more in a simulation, with: without kill 1 ...")
    assert "A  " in out and "where you are right" in out and "first difference at" in out
    assert "unknown command: 'o'" not in out and "unknown command: 'c'" in out, "c is for the last page"
    assert "its challenge: workbench challenge 1" in out


class HangingLab:
    """Was heard a minute ago; ends when it is asked to, all the same."""

    def __init__(self, run_folder: Path) -> None:
        self.run_folder, self.heard_s = run_folder, monotonic() - 60
        self.has_ended = asyncio.Event()

    async def ended(self) -> None:
        await self.has_ended.wait()

    async def send(self, _text: str, _by: str) -> object:
        raise EOFError

    async def leave(self, *, in_order: bool) -> None:
        assert in_order

    def close(self) -> None:
        self.has_ended.set()


def test_a_lab_that_is_not_heard_is_told_and_what_leaving_waits_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(hearing, "AWAY_S", float("inf"))  # as if it had been listened to all the time
    said(monkeypatch, "wait 0.2", "quit")

    async def connect() -> HangingLab:
        return HangingLab(tmp_path)

    assert follow_lab(Session(Path(), None), connect) == 0
    told = capsys.readouterr().out
    assert "nothing heard from the lab for 60 s" in told
    assert "waiting for the lab, which is silent; ctrl-C leaves by force" in told


def test_a_sentence_is_as_wide_as_its_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sentence = "    3.055 " + "n1 cut its log " * 12
    monkeypatch.setenv("COLUMNS", "60")
    say(sentence)
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) > 2 and max(map(len, lines)) <= 60 and lines[1].startswith(" " * 10)
    monkeypatch.setenv("COLUMNS", "0")
    say("short")
    assert capsys.readouterr().out == "short\n"
