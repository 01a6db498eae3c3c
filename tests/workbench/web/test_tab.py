"""The program in a tab: the same events to the byte as here, and a real page that lives, in real browsers."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from tests.support.browser import artefacts
from tests.support.web.played_alike import played
from tests.support.web.tab_site import ROOT, drive, tab_site
from workbench.course.incidents import incident_names
from workbench.course.library import lesson_names
from workbench.web.driver import TabDriver
from workbench.web.tab import Tab

LIMIT_S = 120
LESSONS = tuple(f"lesson={int(name.partition('_')[0])}" for name in lesson_names())
INCIDENTS = tuple(f"incident={int(name.partition('_')[0])}" for name in incident_names())
FEW = ("lesson=1", "lesson=5", "lesson=13", "incident=1")


class Page:
    """Takes what a tab tells."""

    def __init__(self, home: Path) -> None:
        self.told: list[tuple[str, str]] = []
        self.more = asyncio.Event()
        self.tab = Tab(self.take, str(home), (100, 30))

    def take(self, kind: str, text: str) -> None:
        self.told.append((kind, text))
        self.more.set()

    @property
    def last(self) -> tuple[str, str]:
        return next(told for told in reversed(self.told) if told[0] != "screen")

    async def until(self, kind: str, text: str) -> None:
        """It told this."""
        async with asyncio.timeout(LIMIT_S):
            while not any(told[0] == kind and text in told[1] for told in self.told):
                self.more.clear()
                await self.more.wait()


class FromJavaScript:
    """Bytes as the page hands them over."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def to_bytes(self) -> bytes:
        return self.content


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Page:
    monkeypatch.setenv("WORKBENCH_HOME", str(tmp_path / "home" / "runs"))
    monkeypatch.setattr("textual.constants.DRIVER", "workbench.web.driver:TabDriver")  # read when it was imported
    for name in ("draw", "size"):
        monkeypatch.setattr(TabDriver, name, None, raising=False)  # so that it goes again
    (tmp_path / "home").mkdir()
    return Page(tmp_path / "home")


@pytest.mark.parametrize(
    "link", ["#nothing", "#lesson=99", "#incident=none", "#lab&script=dance", "#lab" + "&a=1" * 30]
)
async def test_what_cannot_be_opened_is_told_in_one_sentence(link: str, page: Page) -> None:
    await page.tab.show(link)
    kind, text = page.last
    assert kind == "failed" and "Traceback" not in text and "\n" not in text
    assert [kind for kind, _ in page.told] == ["failed"], "nothing was shown before"


async def test_a_mistake_of_the_program_is_told_with_its_place(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(*_: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr("workbench.web.tab.open_link", break_down)
    await page.tab.show("#lab")
    assert page.last[0] == "failed" and "break_down" in page.last[1] and "ZeroDivisionError" in page.last[1]


async def test_a_list_is_shown_and_left_and_then_kept(page: Page) -> None:
    showing = asyncio.ensure_future(page.tab.show("#runs"))
    await page.until("screen", "A living cluster")
    page.tab.driver.typed("q")
    await showing
    assert page.told[-2:] == [("keep", ""), ("ended", "You have left it. What was played is recorded.")]


async def test_a_lab_says_what_happens_takes_keys_and_is_recorded(page: Page, tmp_path: Path) -> None:
    showing = asyncio.ensure_future(page.tab.show("#lab&load=off"))
    await page.until("say", "leads the quorum")
    page.tab.driver.typed("\x1b")  # the tour
    page.tab.driver.typed("k")
    await page.until("say", "killed")
    for key in "qq":  # the second answers the question whether
        page.tab.driver.typed(key)
    await showing
    assert page.last[0] == "ended"
    assert [*(tmp_path / "home" / "runs").rglob("*.trace")]


def test_what_is_kept_is_packed_forgotten_and_taken_in_again(page: Page, tmp_path: Path) -> None:
    (tmp_path / "home" / "runs").mkdir()
    (tmp_path / "home" / "runs" / "progress.json").write_text("{}")
    packed = FromJavaScript(page.tab.pack())
    page.tab.forget()
    assert not [*(tmp_path / "home").iterdir()]
    assert page.tab.unpack(packed) == "1 files came in"
    assert "nothing was taken in" in page.tab.unpack(FromJavaScript(b"no archive"))


def played_in_tab(names: tuple[str, ...]) -> list[dict[str, object]]:
    """The same as `played`, by the Python of a tab."""
    script = ROOT / "tests" / "support" / "web" / "play.mjs"
    command = ["node", str(script), str(tab_site()), str(ROOT), *names]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.first
@pytest.mark.tab
def test_a_few_are_played_in_a_tab_to_the_same_byte() -> None:
    in_tab = played_in_tab(FEW)
    assert all(row["passed"] for row in in_tab), in_tab
    assert in_tab == list(played(list(FEW)))


@pytest.mark.tab
@pytest.mark.slow
def test_every_lesson_and_every_incident_is_played_in_a_tab_to_the_same_byte() -> None:
    names = (*LESSONS, *INCIDENTS)
    in_tab = played_in_tab(names)
    assert all(row["passed"] for row in in_tab), [row for row in in_tab if not row["passed"]]
    assert in_tab == list(played(list(names)))


@pytest.mark.tab
@pytest.mark.parametrize("browser", ["chrome", pytest.param("firefox", marks=pytest.mark.slow)])
def test_a_lab_lives_in_a_browser_a_key_kills_a_node_and_an_incident_is_shown(browser: str) -> None:
    rows = drive(
        browser,
        tab_site(),
        [
            {"open": "#lab"},
            {"wait": "LIVE"},
            {"keys": ["Escape"]},  # the tour
            {"wait": "leads the quorum"},
            {"keys": ["k"]},
            {"wait": "5 of 6 nodes up"},
            {"until": "/leads the quorum in e[2-9]/.test(shownRows().join())"},  # the first vote may be split
            {"picture": str(artefacts() / f"tab_lab_{browser}.png")},
            {"open": "#incident=02_kip_101_loss"},  # played to its end before it is shown
            {"wait": "REPLAY"},
        ],
    )
    assert rows[-1]["foreign"] == [], "a request left the page's origin"
    assert rows[-1]["said"] == []


@pytest.mark.tab
@pytest.mark.slow
def test_a_link_that_leads_nowhere_is_one_sentence() -> None:
    rows = drive(
        "chrome",
        tab_site(),
        [{"open": "#<b>nothing</b>"}, {"status": "there are lab, lesson"}, {"evaluate": "document.querySelector('b')"}],
    )
    assert rows[-1]["value"] is None
