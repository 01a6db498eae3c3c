"""What the page of a tab shows beside its screen, what it says, and what its buttons do."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support.worlds.paper_lab import Labs
from tests.support.worlds.small_lesson import letter_of, write_lesson
from workbench.course.library import find_lesson
from workbench.runs.wanted import Wanted
from workbench.session.beginning import begin_lab
from workbench.session.lesson.page import SIMULATED_LAB, Piece
from workbench.tui.app import WorkbenchApp
from workbench.tui.compose import draw_screen
from workbench.tui.input.keys import TABLE
from workbench.tui.lesson_app import lesson_app, simulated_lesson_app
from workbench.tui.settings import Settings
from workbench.tui.showing import app_of
from workbench.web.beside import Beside, sent

LIMIT_S = 120


class Page:
    """Takes what is told, as a page does."""

    def __init__(self, app: WorkbenchApp) -> None:
        self.said: list[str] = []
        self.words: dict[str, Any] = {}
        self.beside = Beside(app, self.take)

    def take(self, kind: str, text: str) -> None:
        if kind == "say":
            self.said.append(text)
        else:
            assert kind == "lesson"
            self.words = json.loads(text)

    @property
    def buttons(self) -> list[str]:
        return [name for name, _ in self.words["buttons"]]

    @property
    def text(self) -> str:
        return json.dumps(self.words)

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while True:
                self.beside.look()
                if holds():
                    return
                await asyncio.sleep(0.02)


async def test_a_step_is_read_predicted_and_done_with_buttons_and_said_in_the_words_of_plain(tmp_path: Path) -> None:
    labs, lesson = Labs(tmp_path / "runs"), write_lesson(tmp_path)
    app = lesson_app(lesson, labs, progress_folder=tmp_path / "state")
    async with app.run_test(size=(80, 24)) as pilot:
        page = Page(app)
        page.beside.stand_beside(True)
        page.beside.look()
        assert page.words["place"] == "step 1/3" and "do" in page.buttons and "back" not in page.buttons
        page.beside.press("do")
        await page.until(lambda: "next step" in page.text)
        page.beside.press("do")
        await page.until(lambda: page.words["place"] == "step 2/3")
        assert page.buttons == ["question", "back", "terms"], "nothing is done before an answer"
        assert [choice["letter"] for choice in page.words["choices"]] == ["a", "b", "c"]
        await pilot.pause()
        assert not app.ui.is_question_in_sight, "the screen has none of the text, and a button answers all the same"
        right = letter_of(lesson)
        page.beside.press(right)
        await page.until(lambda: "do" in page.buttons)
        page.beside.press("do")
        await page.until(lambda: bool(page.words["verdict"]))
        assert {choice["letter"]: choice["state"] for choice in page.words["choices"]}[right] == "right"
        assert f"{right} is right." in page.said and any("step 2/3: " in line for line in page.said)
        page.beside.press("back")
        await page.until(lambda: page.words["place"] == "step 1/3")


async def test_the_words_beside_a_large_screen_are_not_on_it_once_more(tmp_path: Path) -> None:
    app = lesson_app(write_lesson(tmp_path), Labs(tmp_path / "runs"), progress_folder=tmp_path / "state")
    async with app.run_test(size=(120, 40)):
        page = Page(app)
        for is_beside in (True, False):
            page.beside.stand_beside(is_beside)
            page.beside.look()
            assert ("step 1/3" in "\n".join(draw_screen(120, 40, app.ui).text_rows())) is not is_beside
            assert page.words["place"] == "step 1/3"


async def test_a_lab_says_each_headline_once_takes_commands_and_has_a_button_for_each_key(tmp_path: Path) -> None:
    app = app_of(
        begin_lab(Wanted(title="Lab", simulated=True, seed=7, load="off", data_dir=str(tmp_path))),
        SIMULATED_LAB,
        Settings(),
    )
    async with app.run_test(size=(80, 24)):
        page = Page(app)
        assert app.ui.pace is not None
        app.ui.pace.set("max")
        await page.until(lambda: any("leads the quorum" in line for line in page.said))
        page.beside.command("kill leader(orders-0)")
        await page.until(lambda: any("killed" in line for line in page.said))
        assert len([line for line in page.said if "leads the quorum" in line]) == 1
        assert page.buttons == [] and not page.words["lesson"]
        keys = {sign: sent for sign, _, sent in page.words["keys"]}
        assert (keys["k"], keys[":"], keys["enter"], keys["\u2191"]) == ("k", ":", "\r", "\x1b[A")
        page.beside.command("kill nobody\x1b[31m<b>")
        page.beside.look()
        assert "\x1b" not in page.text and "\\u001b[31" not in page.text


def test_every_key_of_the_table_is_sent_as_a_terminal_sends_it() -> None:
    assert all(
        sent(key) for item in TABLE for keys, _, _ in item.keys for key in keys.split(",")[:1] if "shift+" not in key
    )
    assert (sent("ctrl+p"), sent("space"), sent("full_stop"), sent("shift+left")) == ("\x10", " ", ".", "")


async def test_text_of_a_lesson_stays_text(tmp_path: Path) -> None:
    app = lesson_app(write_lesson(tmp_path), Labs(tmp_path / "runs"), progress_folder=tmp_path / "state")
    async with app.run_test(size=(80, 24)):
        page = Page(app)
        app.ui.page.before = (Piece("prose", "see **<b>bold</b>** & `x`"),)
        page.beside.look()
        assert page.words["before"] == [
            {"kind": "prose", "text": [["see ", ""], ["<b>bold</b>", "term"], [" & ", ""], ["x", "code"]]}
        ]


@pytest.mark.slow
async def test_a_lesson_is_done_with_buttons_from_its_first_page_to_its_last(tmp_path: Path) -> None:
    app = simulated_lesson_app(find_lesson("1"), tmp_path, 0, progress_folder=tmp_path)
    async with app.run_test(size=(80, 30)):
        page = Page(app)
        page.beside.stand_beside(True)
        assert app.ui.pace is not None
        app.ui.pace.set("max")
        places: list[str] = []
        while not places or places[-1] != "last page":
            await page.until(lambda: page.words["place"] not in places and bool(page.words["choices"] or page.buttons))
            places.append(page.words["place"])
            if page.words["choices"]:
                page.beside.press("a")
                await page.until(lambda: page.words["choices"][0]["state"] == "chosen")
            while page.words["place"] == places[-1] != "last page":
                await page.until(lambda: "do" in page.buttons or page.words["place"] != places[-1])
                if page.words["place"] == places[-1]:
                    page.beside.press("do")
                    await asyncio.sleep(0)
        assert app.player is not None and len(places) == len(app.player.lesson.steps) + 1
        assert page.buttons[:2] == ["do", "challenge"]
