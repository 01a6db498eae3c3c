"""What an installed copy needs besides its code is in the wheel, where `shipped` looks for it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from workbench.course.library import lesson_names
from workbench.support.shipped import OURS, shipped

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", ["lessons", "campaigns", "incidents"])
def test_the_wheel_holds_the_folder_where_an_installed_copy_looks(name: str) -> None:
    """An installed copy once had no lessons at all."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert OURS.relative_to(ROOT) / "shipped_data" / name == Path(wheel["force-include"][name])
    assert shipped(name) == ROOT / name, "a clone uses its own files"


def test_an_installed_copy_looks_inside_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "workbench" / "shipped_data" / "lessons" / "01_one"
    inside.mkdir(parents=True)
    (inside / "lesson.md").touch()
    monkeypatch.setattr("workbench.support.shipped.OURS", tmp_path / "workbench")
    assert lesson_names(shipped("lessons")) == ("01_one",)
