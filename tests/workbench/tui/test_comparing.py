"""Two recorded runs on a screen of their own, or as lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.screens.screen_app import shows
from tests.support.traces.files import write_trace
from tests.support.traces.story import full_story
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.tui.comparing import comparing_app, print_comparison
from workbench.tui.settings import Settings


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    entries = full_story()
    folders = []
    for name, count in (("20260101-000000-000aa", len(entries)), ("20260102-000000-000bb", len(entries) // 2)):
        folder = tmp_path / "runs" / name
        folder.mkdir(parents=True)
        write_trace(folder, entries[:count])
        folders.append(folder)
    return folders[0], folders[1]


async def test_both_are_shown_as_soon_as_they_are_read(runs: tuple[Path, Path]) -> None:
    app = comparing_app(*runs, Settings())
    async with app.run_test(size=(120, 40)) as pilot:
        await shows(pilot, app, "Two worlds", "First difference", runs[1].name)
        await pilot.press("escape")
        await shows(pilot, app, "REPLAY")
        await pilot.press("q")


def test_the_same_in_lines(runs: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    assert print_comparison(*runs) == 0
    out = capsys.readouterr().out
    assert out.isascii() and out.startswith(f"A  {runs[0].name}") and f"B  {runs[1].name}" in out
    assert "first difference at" in out and "leaders elected" in out
    assert print_comparison(runs[0], runs[0]) == 0
    assert "No headline and no figure differs" in capsys.readouterr().out


def test_what_cannot_be_read_is_refused(runs: tuple[Path, Path]) -> None:
    (runs[1] / "trace" / "1-0.trace").write_bytes(b"\xff" * 5000)
    with pytest.raises(Refusal, match="cannot read the recording") as refused:
        print_comparison(*runs)
    assert refused.value.code == BAD_DATA
