"""A lesson on paper: what learners read gives nothing away, what is drawn happened, and nothing asks for more."""

from __future__ import annotations

import re
import subprocess
from html import unescape
from pathlib import Path

import pytest

from tests.support.browser import BROWSER, MISSING, SWITCHES
from tests.support.worlds.steps_lesson import SCRIPT, steps_lesson
from workbench.cli.handout import handout
from workbench.course.library import find_lesson
from workbench.support.refusal import BAD_DATA, BUSY, Refusal


def written(tmp_path: Path, name: str = "2", *, for_teacher: bool = False, seed: int = 0) -> str:
    path = tmp_path / f"{name}-{for_teacher}-{seed}.html".replace("/", "-")
    assert handout(name, str(path), seed, for_teacher=for_teacher) == 0
    return path.read_text("utf-8")


def words(page: str) -> str:
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", re.sub(r"<(svg|style)\b.*?</\1>", " ", page, flags=re.S))).split())


def plain(text: str) -> str:
    return " ".join(re.sub(r"[*`]", " ", text).split())


def test_a_learner_gets_every_case_and_question_and_no_answer(tmp_path: Path) -> None:
    page, lesson = written(tmp_path), find_lesson("2")
    front, back = page.split('<div class="back"')
    for _, question in lesson.questions:
        assert plain(question.text) in words(front)
        for option in question.options:
            assert plain(option.text) in words(front)
            assert plain(option.why.split("{")[0]) not in words(page)
    assert front.count("because") == len(list(lesson.questions)) and "&#9745;" not in page
    holds = [hold for step in lesson.steps if step.do is not None for hold in step.do.holds]
    assert back.count("<figure>") == len(holds) and all(plain(hold.look.split("{")[0]) in words(back) for hold in holds)
    assert back.count("<svg") == sum(hold.pane != "lesson" for hold in holds)
    assert "ISR 1,2,3" in back and "Broker 3 is in again" not in front


def test_a_teacher_gets_right_answers_reasons_and_notes(tmp_path: Path) -> None:
    page, lesson = written(tmp_path, for_teacher=True), find_lesson("2")
    said = words(page)
    assert page.count("&#9745;") == len(list(lesson.questions))
    for step, question in lesson.questions:
        right = next(option for option in question.options if not option.misconception)
        assert re.search(rf"☑ [a-d] {re.escape(plain(right.text))}", said)
        assert all(plain(option.why.split("{")[0]) in said for option in question.options)
        assert all(plain(text) in said for text in step.notes.expect)
    assert "{" not in said, "each value is told as it was in this play"


def test_the_same_seed_prints_the_same_page_and_another_one_other_letters(tmp_path: Path) -> None:
    assert written(tmp_path) == written(tmp_path / ".", "02")
    assert written(tmp_path, seed=1) != written(tmp_path, "02_in_sync_means_caught_up")


def test_nothing_is_asked_for_from_elsewhere(tmp_path: Path) -> None:
    page = written(tmp_path, for_teacher=True)
    assert "default-src 'none'" in page and "<script" not in page
    assert not re.search(r"(?:src|href)=|url\(|@import|https?://(?!www\.w3\.org)", page)


def test_what_a_lesson_brings_along_is_only_text(tmp_path: Path) -> None:
    steps_lesson(tmp_path / "lessons", ("A picture moves.", "A `<script>` moves."), ("Broker 2 was in", "`<b>` was in"))
    page = written(tmp_path, str(tmp_path / "lessons" / "01_small"), for_teacher=True)
    assert "<script" not in page and "<code>&lt;script&gt;</code>" in page and "<code>&lt;b&gt;</code>" in page


def test_a_lesson_that_does_not_hold_is_not_printed(tmp_path: Path) -> None:
    script = SCRIPT.replace("expect isr orders-0 = 2\n", "expect isr orders-0 = 1 within 30ms\n")
    steps_lesson(tmp_path / "lessons", script=script)
    with pytest.raises(Refusal) as refusal:
        written(tmp_path, str(tmp_path / "lessons" / "01_small"))
    assert refusal.value.code == BAD_DATA and "with seed 0 the lesson does not hold" in str(refusal.value)
    assert not list(tmp_path.glob("*.html"))


def test_a_page_that_is_there_stays(tmp_path: Path) -> None:
    before = written(tmp_path)
    with pytest.raises(Refusal) as refusal:
        written(tmp_path)
    assert refusal.value.code == BUSY and (tmp_path / "2-False-0.html").read_text("utf-8") == before


@pytest.mark.screens
@pytest.mark.parametrize("name", ["1", "2", "16"])
def test_it_prints_on_two_pages(tmp_path: Path, name: str) -> None:
    if BROWSER is None:
        pytest.skip(MISSING)
    written(tmp_path, name)
    page, printed = tmp_path / f"{name}-False-0.html", tmp_path / "printed.pdf"
    options = (f"--user-data-dir={tmp_path / 'browser'}", f"--print-to-pdf={printed}")
    subprocess.run([BROWSER, *SWITCHES, *options, str(page)], check=True, capture_output=True)
    assert len(re.findall(rb"/Type\s*/Page\b", printed.read_bytes())) == 2
