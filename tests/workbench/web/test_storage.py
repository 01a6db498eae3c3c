"""What a real browser keeps: over a reload, as a file, not at all; and the whole site, without its server."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.web.tab_site import drive, tab_site
from workbench.web.site import PAGE, SERVICE_WORKER, list_files

pytestmark = [pytest.mark.tab, pytest.mark.slow]
Steps = list[dict[str, Any]]

KEPT = """new Promise((resolve) => {
  const asked = indexedDB.open("/home/workbench");
  asked.onerror = () => resolve({});
  asked.onsuccess = () => {
    const base = asked.result, kept = {};
    const done = () => { base.close(); resolve(kept); };
    if (!base.objectStoreNames.contains("FILE_DATA")) return done();
    base.transaction("FILE_DATA").objectStore("FILE_DATA").openCursor().onsuccess = ({ target: { result: at } }) => {
      if (!at) return done();
      if (at.value.contents) kept[at.key] = new TextDecoder().decode(at.value.contents);
      at.continue();
    };
  };
})"""
"""Files that the browser keeps: path to content."""
HAS_ANSWER = (
    f"{KEPT}.then((kept) => Object.entries(kept).some(([name, text]) => "
    """name.includes("/lessons/01_") && /"answer": ?[0-9]/.test(text)))"""
)
KEEPS_NOTHING = f"{KEPT}.then((kept) => Object.keys(kept).length === 0)"
STATUS = "document.getElementById('status').textContent"
ANSWERED = "document.querySelector('.choice[aria-pressed=true]')?.dataset.name === 'b'"
LAB: Steps = [{"open": "#lab"}, {"wait": "LIVE"}, {"keys": ["Escape"]}, {"wait": "leads the quorum"}]
KILL: Steps = [{"keys": ["k"]}, {"wait": "5 of 6 nodes up"}]


def an_answer() -> Steps:
    """The first step of the first lesson, and b to its question; until the browser keeps it."""
    held = "document.querySelector('#words .held')?.textContent.startsWith('held {} of 2')"
    return [
        {"open": "#lesson=1", "width": 390, "height": 844},
        {"until": held.format(1)},
        {"tap": "#actions [data-name=do]"},
        {"until": held.format(2)},
        {"tap": "#actions [data-name=do]"},
        {"until": "document.querySelector('#words').textContent.includes('The shop is the producer')"},
        {"tap": "#actions [data-name=do]"},
        {"tap": "#actions [data-name=question]"},
        {"tap": ".choice[data-name=b]"},
        {"until": ANSWERED},
        {"until": HAS_ANSWER},
    ]


def menu(name: str) -> Steps:
    return [{"tap": "#menu summary"}, {"tap": f"#{name}"}]


@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_the_answer_to_a_lesson_survives_a_reload(browser: str) -> None:
    rows = drive(
        browser, tab_site(), [*an_answer(), {"reload": ""}, {"until": "!!document.querySelector('#words .place')"},
                              {"until": ANSWERED}],
    )  # fmt: skip
    assert rows[-1]["foreign"] == [] and rows[-1]["said"] == []


def test_an_export_is_a_file_and_after_all_was_deleted_it_brings_all_back(tmp_path: Path) -> None:
    file = tmp_path / "kraft-workbench.tar.gz"
    rows = drive(
        "chrome",
        tab_site(),
        [
            *an_answer(),
            {"download": str(tmp_path)},
            *menu("export"),
            {"file": str(file)},
            {"tap": "#forget"},
            {"status": "are deleted"},
            {"until": KEEPS_NOTHING},
            {"open": "#lab"},
            {"wait": "LIVE"},
            {"choose": "#import", "file": str(file)},
            {"status": "files came in"},
            {"until": HAS_ANSWER},
            {"open": "#lesson=1", "width": 390, "height": 844},
            {"until": ANSWERED},
        ],
    )
    assert rows[-1]["said"] == []


FOREIGN = {"empty": b"", "ten megabytes of nothing": b"\x00" * 10_000_000, "markup": b"<b>hello</b>"}


def test_a_file_that_is_none_of_ours_is_one_sentence_and_the_run_goes_on(tmp_path: Path) -> None:
    steps: Steps = []
    for name, content in FOREIGN.items():
        (tmp_path / name).write_bytes(content)
        steps += [{"choose": "#import", "file": str(tmp_path / name)}, {"status": "nothing was taken in"}]
        steps.append({"evaluate": "document.getElementById('status').textContent = ''"})
    rows = drive("chrome", tab_site(), [*LAB, *steps, *KILL])
    assert rows[-1]["said"] == []


def test_a_second_tab_says_that_it_keeps_nothing_and_runs() -> None:
    second: Steps = [{**LAB[0], "more": True}, {"wait": "LIVE"}, {"status": "Another tab keeps runs and progress"}]
    rows = drive("chrome", tab_site(), [*LAB, *second, *LAB[2:], *KILL, {"evaluate": STATUS}])
    assert "what is played in this one is gone when it is closed" in rows[-1]["value"], "it still says so"


THROWS = "IDBFactory.prototype.open = () => { throw new DOMException('refused', 'SecurityError'); };\n"
IS_MISSING = "Object.defineProperty(self, 'indexedDB', { value: undefined });\n"
FAILS = """IDBFactory.prototype.open = () => {
  const asked = {};
  setTimeout(() => asked.onerror({ preventDefault() {}, target: asked }));
  return asked;
};
"""


@pytest.mark.parametrize("refuses", [THROWS, IS_MISSING, FAILS], ids=["throws", "is missing", "fails"])
def test_a_browser_that_refuses_to_keep_anything_is_one_sentence_and_the_run_goes_on(refuses: str) -> None:
    rows = drive("chrome", tab_site(), [{"before": "worker.js", "text": refuses}, *LAB, *KILL, {"evaluate": STATUS}])
    assert rows[-1]["value"].startswith("This browser keeps nothing for this page")
    assert rows[-1]["said"] == []


FULL = """IDBObjectStore.prototype.put = () => { throw new DOMException("full", "QuotaExceededError"); };
"""


def test_a_full_storage_is_one_sentence_and_the_run_goes_on() -> None:
    drive(
        "chrome",
        tab_site(),
        [{"before": "worker.js", "text": FULL}, *LAB, {"status": "The browser's storage is full"}, *KILL],
    )


@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_without_its_server_the_site_opens_again_and_a_lab_lives(browser: str) -> None:
    rows = drive(
        browser,
        tab_site(),
        [
            *LAB,
            {"until": "navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')"},
            {"unplug": ""},
            {"reload": ""},
            *LAB[1:],
            *KILL,
            {"open": "", "page": "index.html"},
            {"until": "document.title.startsWith('KRaft Workbench')"},
            {"open": "#lesson=1"},
            {"wait": "A pair of shoes"},
        ],
    )
    assert rows[-1]["foreign"] == []


@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_a_newer_site_shows_at_the_next_load_and_lives(browser: str, tmp_path: Path) -> None:
    newer = tmp_path / "newer"
    shutil.copytree(tab_site(), newer)
    page = newer / "tab.html"
    page.write_text(page.read_text("utf-8").replace("<span>simulated, in this tab", "<span>a newer site"), "utf-8")
    shutil.copy(PAGE / SERVICE_WORKER, newer)
    list_files(newer)
    rows = drive(
        browser,
        tab_site(),
        [
            *LAB,
            {"until": "navigator.serviceWorker.ready.then(({ active }) => active?.state === 'activated')"},
            {"site": str(newer)},
            {"reload": ""},
            {"until": "fetch('tab.html').then((page) => page.text()).then((text) => text.includes('a newer site'))"},
            {"reload": ""},
            {"until": "document.querySelector('header span').textContent === 'a newer site'"},
            *LAB[1:],
            *KILL,
        ],
    )
    assert rows[-1]["foreign"] == []


ASKS_FOREIGN = """
addEventListener("securitypolicyviolation", ({ blockedURI: text }) => postMessage({ type: "say", text }));
fetch("http://foreign.invalid/").catch(() => {});
"""


@pytest.mark.parametrize("browser", ["chrome", "firefox"])
def test_the_policy_of_the_page_binds_its_worker(browser: str) -> None:
    refused = {"until": "document.getElementById('aloud').textContent.includes('http://foreign.invalid')"}
    rows = drive(browser, tab_site(), [{"before": "worker.js", "text": ASKS_FOREIGN}, *LAB[:1], refused, *LAB[1:]])
    assert rows[-1]["foreign"] == []
