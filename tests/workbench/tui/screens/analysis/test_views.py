"""What the analysis screen draws, at three sizes, and what it takes from the pipeline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.traces.made_report import made_run
from workbench.analysis.on_screen import ROWS_MAX, thinned
from workbench.analysis.report.rows import split
from workbench.tui.screens.analysis.job import Analysis
from workbench.tui.screens.analysis.views import VIEWS, Chosen, draw_analysis

SIZES = ((80, 24), (120, 40), (200, 50))


def _job() -> Analysis:
    (run,) = split(made_run())
    job = Analysis(Path("/runs/20260101-000000-000aa"), Path("/analysis"))
    job.take(
        json.dumps(
            {"run": run.run, "tables": run.tables, "page": "/analysis/report.html", "in_progress": False}
        ).encode()
    )
    assert job.rows is not None
    return job


def _text(job: Analysis, view: str = "Summary", size: tuple[int, int] = (120, 40), glyphs: str = "full") -> list[str]:
    return draw_analysis(*size, job, Chosen(VIEWS.index(view)), glyphs).text_rows()


@pytest.mark.parametrize("size", SIZES, ids=str)
@pytest.mark.parametrize("view", VIEWS)
def test_every_view_fits_every_size(view: str, size: tuple[int, int]) -> None:
    rows = _text(_job(), view, size)
    assert (len(rows), {len(row) for row in rows}) == (size[1], {size[0]})
    assert f" {view} " in rows[1], "its tab is in sight"
    assert "esc" in rows[-1]
    assert any(row[2:-1].strip() for row in rows[3:-2]), "and there is something to see"


def test_leaders_stand_at_the_times_of_their_offices() -> None:
    rows = _text(_job(), "Leaders", (115, 40))
    lane = next(row for row in rows if "t-0" in row)[2:]
    left, width = 13, 115 - 4 - 13 - 2
    assert lane[left + int(0.2 * width)] == "0" and lane[left + int(0.6 * width)] == "\u2592", "the leader was down"
    assert lane[left + int(0.9 * width)] == "1"
    assert any("kill 1" in row for row in rows)


@pytest.mark.parametrize("view", ["Leaders", "ISR", "Log ends", "Records"])
def test_every_figure_over_time_shows_the_faults(view: str) -> None:
    rows = _text(_job(), view)
    assert any("kill 1" in row for row in rows) and any("\u25bc" in row for row in rows)


def test_the_isr_shows_who_led_who_was_in_and_when_it_was_too_small() -> None:
    rows = _text(_job(), "ISR")
    first, second, size = (next(row for row in rows if name in row) for name in ("broker 1", "broker 2", "size "))
    assert "\u2588" in first and "\u2593" in second and "\u2588" in second
    assert "2\u2500" in size and "1\u2500" in size


def test_fates_count_records() -> None:
    rows = _text(_job(), "Records")
    told = "\n".join(rows)
    assert "6 records" in told and "visible 5" in told and "lost 1" in told


def test_a_broken_rule_is_named_with_what_broke_it() -> None:
    told = "\n".join(_text(_job(), "Rules", (200, 50)))
    assert "EXPECTED" in told and "a record is not there" in told


def test_without_utf8_nothing_but_ascii_is_drawn() -> None:
    for view in VIEWS:
        assert "".join(_text(_job(), view, glyphs="ascii")).isascii()


def test_progress_tells_what_is_done_and_how_far_it_is() -> None:
    job = Analysis(Path("/runs/x"), Path("/analysis"))
    job.take(b'{"tell": "tables elections", "done": 9, "total": 18}\n')
    rows = _text(job)
    assert any("9 of 18   tables elections" in row for row in rows)
    assert any("\u2588" * 30 + "\u2591" * 30 in row for row in rows)


def test_a_refusal_is_shown_whole_and_as_plain_text() -> None:
    job = Analysis(Path("/runs/x"), Path("/analysis"))
    job.take(json.dumps({"refused": "Spark needs Java and found none: install \x1b[31m" + "word " * 40}).encode())
    told = "\n".join(_text(job, size=(80, 24)))
    assert "No analysis" in told and "Spark needs Java and found none" in told and "\x1b" not in told
    assert told.count("word") == 40


def test_what_is_no_line_of_ours_is_passed_over() -> None:
    job = Analysis(Path("/runs/x"), Path("/analysis"))
    for line in (b"Picked up _JAVA_OPTIONS\n", b"[1]\n", b'{"tell": 1}\n', b"\xff\n"):
        job.take(line)
    assert job.is_working and job.told != "1"


def test_a_long_table_is_thinned_and_its_ends_stay() -> None:
    rows = [{"n": number} for number in range(3 * ROWS_MAX + 1)]
    kept = thinned(rows)
    assert len(kept) <= ROWS_MAX + 1
    assert (kept[0], kept[-1]) == (rows[0], rows[-1])
    assert thinned([]) == []
