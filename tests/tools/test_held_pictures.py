"""Pictures of a lesson that is held: the frame, the words, and the same cells each time."""

from __future__ import annotations

from pathlib import Path

import pytest

from tools.held_pictures import MOMENTS, draw_held

PICTURES = Path(__file__).parents[2] / "docs" / "pictures"


@pytest.mark.slow
def test_the_pictures_that_are_kept_are_those_that_are_drawn(tmp_path: Path) -> None:
    made = draw_held(tmp_path)
    assert [path.stem for path in made] == [moment.name for moment in MOMENTS]
    for path in made:
        assert path.read_text("utf-8") == (PICTURES / path.name).read_text("utf-8"), "make pictures draws them anew"
