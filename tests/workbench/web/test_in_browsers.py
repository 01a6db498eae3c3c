"""The site in real browsers, on a phone and on a desk: the first page, a lesson done with thumbs, every link opens."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.browser import artefacts
from tests.support.web.tab_site import drive, tab_site
from workbench.course.library import find_lesson, lesson_names

pytestmark = [pytest.mark.tab, pytest.mark.slow]
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
WIDTHS = "[document.documentElement.scrollWidth, innerWidth]"
BROWSERS = ["chrome", "firefox"]
LINKS = (*(f"lesson={int(name.partition('_')[0])}" for name in lesson_names()),
         "lab", "challenge=3", "incident=02_kip_101_loss", "hunt=2", "runs")  # fmt: skip


def picture(name: str) -> dict[str, Any]:
    return {"picture": str(artefacts() / f"{name}.png")}


@pytest.mark.parametrize("browser", BROWSERS)
def test_the_first_page_is_as_wide_as_its_window_on_a_phone_and_on_a_desk_bright_and_dark(browser: str) -> None:
    steps: list[dict[str, Any]] = []
    for name, size in (("phone", PHONE), ("desk", DESK)):
        for dark in (True, False):
            steps += [{"open": "", "page": "index.html", "dark": dark, **size}, {"evaluate": WIDTHS}]
            steps.append(picture(f"home_{browser}_{name}_{'dark' if dark else 'bright'}"))
    rows = drive(browser, tab_site(), steps)
    for width, room in (row["value"] for row in rows if "value" in row):
        assert width <= room
    assert rows[-1]["foreign"] == [] and rows[-1]["said"] == []


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_lesson_begins_with_thumbs_and_its_text_is_text(browser: str) -> None:
    """The step that plays by itself, each moment that is held, and an answer to the first question."""
    rows = drive(
        browser,
        tab_site(),
        [
            {"open": "#lesson=1", **PHONE},
            {"until": "document.querySelector('#words h2')?.textContent === 'A pair of shoes, 02:14'"},
            {"until": "document.querySelector('#words .held')?.textContent.startsWith('held 1 of 2')"},
            picture(f"phone_{browser}_held"),
            {"tap": "#actions [data-name=do]"},
            {"until": "document.querySelector('#words .held')?.textContent.startsWith('held 2 of 2')"},
            {"tap": "#actions [data-name=do]"},
            {"until": "document.querySelector('#words').textContent.includes('The shop is the producer')"},
            {"tap": "#actions [data-name=do]"},
            {"tap": "#actions [data-name=question]"},
            {"tap": ".choice[data-name=b]"},
            {"until": "document.querySelector('.choice[aria-pressed=true]')?.dataset.name === 'b'"},
            {"evaluate": WIDTHS},
            {"evaluate": "document.getElementById('aloud').textContent"},
            picture(f"phone_{browser}_answer"),
        ],
    )
    width, room = rows[-3]["value"]
    assert width == room == PHONE["width"]
    assert "Somebody buys a pair of shoes" in rows[-2]["value"] and "n1 leads orders-0" in rows[-2]["value"]
    assert rows[-1]["foreign"] == [] and rows[-1]["said"] == []


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_lab_takes_buttons_and_a_line_on_a_phone(browser: str) -> None:
    rows = drive(
        browser,
        tab_site(),
        [
            {"open": "#lab&script=topic%20orders%20replicas%3D3", **PHONE},
            {"until": "document.getElementById('aloud').textContent.includes('leads orders-0')"},
            {"tap": "#more summary"},
            {"evaluate": "document.getElementById('line').value = 'kill controller'"},
            {"tap": "#command button"},
            {"until": "document.getElementById('aloud').textContent.includes('in e2')"},
            {"tap": "#keys [data-name=g]"},
            {"wait": "HALTED"},
            picture(f"phone_{browser}_lab"),
        ],
    )
    assert rows[-1]["foreign"] == [] and rows[-1]["said"] == []


@pytest.mark.parametrize("browser", BROWSERS)
def test_a_lesson_is_done_with_thumbs_from_its_first_page_to_its_last(browser: str) -> None:
    """Whatever it shows next is tapped: an answer where it asks, else what goes on; hints end its task."""
    lesson = find_lesson("1")
    press, words = "document.querySelector('#actions [data-name=do]')", "document.getElementById('words').textContent"
    steps: list[dict[str, Any]] = [{"open": "#lesson=1", **PHONE}]
    for number, step in enumerate(lesson.steps, start=1):
        here = f"document.querySelector('.place')?.textContent.endsWith('step {number}/{len(lesson.steps)}')"
        steps += [{"until": here}, picture(f"phone_{browser}_step_{number}")]
        if step.question is not None:
            steps += [{"tap": "#actions [data-name=question]"}, {"tap": ".choice[data-name=a]"}]
        begins = 0 if step.do is None or step.do.at_once else 1
        held = sum(bool(hold.pane) for hold in step.do.holds) if step.do is not None else 0
        for _ in range(begins + held + 1):
            steps += [
                {"until": press},
                {"evaluate": f"globalThis.before = {words}"},
                {"tap": "#actions [data-name=do]"},
            ]
            steps.append({"until": f"!{press} || {words} !== globalThis.before"})
    steps += [{"until": "document.querySelector('.place').textContent.endsWith('last page')"}]
    steps += [
        {"tap": "#actions [data-name=do]"},
        {"until": "document.querySelector('.place').textContent.includes('In sync')"},
    ]
    drive(browser, tab_site(), [*steps, picture(f"phone_{browser}_next_lesson")])


@pytest.mark.parametrize(("browser", "size"), [("chrome", DESK), ("firefox", PHONE)])
def test_every_way_in_opens(browser: str, size: dict[str, int]) -> None:
    steps: list[dict[str, Any]] = []
    for link in LINKS:
        shown = "Lessons" if link == "runs" else "REPLAY" if link.startswith("incident") else "quit"
        steps += [{"open": f"#{link}", **size}, {"wait": shown}]
    rows = drive(browser, tab_site(), [*steps, picture(f"last_way_in_{browser}")])
    assert rows[-1]["foreign"] == [] and rows[-1]["said"] == []
