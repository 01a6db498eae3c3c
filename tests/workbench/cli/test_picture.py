from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.traces import story
from workbench.cli.picture import write_picture
from workbench.support.refusal import Refusal


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return story.write_run(tmp_path / "run", story.full_story())


def test_a_moment_of_the_run_is_drawn(run: Path, tmp_path: Path) -> None:
    assert write_picture(run, str(tmp_path / "end.svg"), None, "120x40") == 0
    assert write_picture(run, str(tmp_path / "split.svg"), 1.480, "120x40") == 0
    assert "SPLIT VOTE" in (tmp_path / "split.svg").read_text()
    assert "SPLIT VOTE" not in (tmp_path / "end.svg").read_text()
    assert "A recorded run" in (tmp_path / "end.svg").read_text(), "no invitation to kill what is long over"


def test_nothing_is_overwritten(run: Path, tmp_path: Path) -> None:
    (tmp_path / "kept.svg").write_text("mine")
    with pytest.raises(Refusal, match="exists"):
        write_picture(run, str(tmp_path / "kept.svg"), None, "120x40")
    assert (tmp_path / "kept.svg").read_text() == "mine"


@pytest.mark.parametrize("size", ("", "80", "79x24", "80x23", "999x50", "80x24x1", "\x1b[2Jx9", "-1x9"))
def test_a_size_that_cannot_be_drawn_is_refused(run: Path, tmp_path: Path, size: str) -> None:
    with pytest.raises(Refusal) as refused:
        write_picture(run, str(tmp_path / "no.svg"), None, size)
    assert str(refused.value).isprintable() and not (tmp_path / "no.svg").exists()
