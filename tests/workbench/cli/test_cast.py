from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.support.traces import story
from workbench.cli.cast import write_cast
from workbench.cli.sharing import Drawn, share
from workbench.support.refusal import BUSY, USAGE, Refusal

OWN = re.compile(r"\x1b\[(?:\d+;\d+H|[\d;]*m|2J|\?25[lh])")
"""All that a film may ask of a terminal."""


@pytest.fixture
def run(tmp_path: Path) -> Path:
    return story.write_run(tmp_path / "run", story.full_story())


def film_of(run: Path, file: Path, speed: float = 1.0) -> tuple[dict[str, Any], list[list[Any]]]:
    assert write_cast(run, str(file), "120x40", speed) == 0
    first, *rest = file.read_text().splitlines()
    return json.loads(first), [json.loads(line) for line in rest]


def test_a_film_has_the_run_s_title_size_and_marks_in_order(run: Path, tmp_path: Path) -> None:
    told, lines = film_of(run, tmp_path / "run.cast")
    assert (told["version"], told["width"], told["height"], told["title"]) == (2, 120, 40, "Elections and truncation")
    times = [line[0] for line in lines]
    assert times == sorted(times) and times[0] == 0
    marks = [line[2] for line in lines if line[1] == "m"]
    assert any("n1, the leader, was killed" in text for text in marks)
    assert any("from 10 to 7" in text for text in marks)
    assert {line[1] for line in lines} == {"o", "m"}


def test_a_mark_stands_where_the_screen_shows_what_it_names(run: Path, tmp_path: Path) -> None:
    _, lines = film_of(run, tmp_path / "run.cast")
    at = next(place for place, line in enumerate(lines) if line[1] == "m" and "was killed" in line[2])
    before = next(line for line in reversed(lines[:at]) if line[1] == "o")
    assert before[0] == lines[at][0] and "was killed" in before[2]


def test_twice_the_speed_is_half_the_film(run: Path, tmp_path: Path) -> None:
    ends = [film_of(run, tmp_path / f"{speed}.cast", speed)[1][-1][0] - 2 for speed in (1.0, 2.0)]
    assert ends[0] == pytest.approx(2 * ends[1], rel=0.01)


@pytest.mark.parametrize("payload", story.HOSTILE)
def test_what_others_wrote_is_only_text(tmp_path: Path, payload: str) -> None:
    told, lines = film_of(story.write_run(tmp_path / "run", story.hostile_story(payload)), tmp_path / "run.cast")
    assert told["title"].isprintable() and lines
    for _, kind, text in lines:
        rest = OWN.sub("", text) if kind == "o" else text
        assert rest.isprintable() and "\x1b" not in rest


def test_nothing_is_overwritten_and_options_go_with_what_they_are_for(run: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.cast"
    kept.write_text("mine")
    with pytest.raises(Refusal) as refused:
        share(run, "", Drawn(cast=str(kept)))
    assert refused.value.code == BUSY and kept.read_text() == "mine"
    apart = Drawn(cast="a", at_s=3.0), Drawn(svg="a", speed=2.0), Drawn(at_s=1.0), Drawn(size="80x24")
    for drawn in (Drawn(cast="a", svg="b"), *apart):
        with pytest.raises(Refusal) as refused:
            share(run, "", drawn)
        assert refused.value.code == USAGE
