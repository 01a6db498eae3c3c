"""The page stands alone, shows what the rows say, and lets nothing untrusted become markup."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from made_report import RUN, made_run

from workbench.analysis.report.fates import fate_counts, record_fates
from workbench.analysis.report.page import page
from workbench.analysis.report.positions import POINTS_MAX, positions
from workbench.analysis.report.ribbon import isr_ribbon
from workbench.analysis.report.rows import RunRows, split
from workbench.analysis.report.timeline import timeline

NOW = datetime(2026, 1, 1, tzinfo=UTC)
SVG = "{http://www.w3.org/2000/svg}"


def _shapes(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1))


def _titles(svg: str) -> list[str]:
    return [item.text or "" for item in _shapes(svg).iter(f"{SVG}title")]


def _run(**more: list[dict[str, Any]]) -> RunRows:
    (run,) = split(made_run(**more))
    return run


def test_the_page_asks_the_network_for_nothing() -> None:
    text = page([_run()], NOW)
    assert not re.search(r"(?:src|href)\s*=|@import|url\((?!#)|<script", text)
    assert "default-src 'none'" in text


def test_text_from_outside_never_becomes_markup_or_a_control_character() -> None:
    bad = "<script>alert(1)</script>\x1b]0;x\x07\u202e"
    fate = made_run()["record_fates"][0] | {"client_id": bad, "value": bad}
    text = page([_run(record_fates=[fate], runs=[made_run()["runs"][0] | {"title": bad}])], NOW)
    assert "<script" not in text and "\x1b" not in text and "\u202e" not in text
    assert "&lt;script&gt;" in text


def test_the_timeline_has_a_bar_for_each_leader_and_says_when_none_serves() -> None:
    titles = _titles(timeline(_run()))
    assert "node 101, epoch 3: 0.100 s to 1.000 s; ended by: end of the run" in titles
    assert "node 1, epoch 0: 0.200 s to 0.900 s; ended by: broker 1 fenced" in titles
    assert "leader down for 400 ms" in titles
    assert "vote for epoch 2: split, 1 of 2 needed" in titles
    assert "kill 1" in titles


def test_bars_stand_where_their_times_are() -> None:
    bars = {
        item.findtext(f"{SVG}title"): (float(item.get("x", 0)), float(item.get("width", 0)))
        for item in _shapes(timeline(_run())).iter(f"{SVG}rect")
    }
    left, width = bars["node 1, epoch 0: 0.200 s to 0.900 s; ended by: broker 1 fenced"]
    down, span = bars["leader down for 400 ms"]
    assert abs(down + span - (left + width)) < 0.2, "it ends with the leadership"
    assert abs(width / span - 700 / 400) < 0.01


def test_the_ribbon_marks_the_leader_and_the_time_under_min_insync() -> None:
    svg = isr_ribbon(_run(), "t", 0)
    leads = [item for item in _shapes(svg).iter(f"{SVG}rect") if item.get("fill-opacity") == "0.9"]
    under = [item for item in _shapes(svg).iter(f"{SVG}rect") if item.get("fill-opacity") == "0.16"]
    assert (len(leads), len(under)) == (2, 1)


def test_a_step_line_holds_each_value_until_the_next_change_and_goes_to_the_end() -> None:
    paths = [item.get("d", "") for item in _shapes(positions(_run(), "t", 0)).iter(f"{SVG}path")]
    assert len(paths) == 4, "an end and a high watermark for each of two brokers"
    assert all(re.fullmatch(r"M[\d. ]+(?:H[\d.]+V[\d.]+)+", path) for path in paths)
    assert all("H986.0V" in path for path in paths)


def test_many_points_are_thinned_and_the_last_one_stays() -> None:
    many = [
        {
            "run": RUN,
            "topic": "t",
            "partition": 0,
            "node": 1,
            "t_ms": 1.0 * at,
            "log_end_offset": at,
            "high_watermark": at,
        }
        for at in range(3 * POINTS_MAX)
    ]
    first = next(_shapes(positions(_run(log_positions=many), "t", 0)).iter(f"{SVG}path")).get("d", "")
    assert POINTS_MAX // 2 < first.count("H") <= POINTS_MAX + 1


def test_fates_count_records_not_operations() -> None:
    run = _run()
    assert fate_counts(run.tables["record_fates"]) == {"visible": 5, "lost": 1}
    titles = _titles(record_fates(run, "t", 0))
    assert "5 of 6: visible" in titles
    assert "p produced b with acks=1: acknowledged at offset 5; lost" in titles


def test_a_run_that_is_not_whole_or_goes_on_says_so() -> None:
    row = made_run()["runs"][0] | {"is_complete": False, "bad_files": ["1-0.trace byte 9 x"], "has_ended": False}
    text = page([_run(runs=[row | {"unknown_count": 3, "torn_bytes": 7}])], NOW)
    for told in (
        "Not whole: 1-0.trace byte 9 x",
        "has not said its end",
        "7 bytes of",
        "3 events are of a newer version",
    ):
        assert told in text


def test_words_wrap_in_a_cell_and_names_do_not_so_that_a_row_fits() -> None:
    text = page([_run(), _run()], NOW)
    assert '<td class="text">' in text and f"<td>{RUN}</td>" in text
    assert re.search(r"td\.text\{white-space:normal", text)


def test_only_where_a_run_is_not_whole_a_column_says_which_are() -> None:
    broken = _run(runs=[made_run()["runs"][0] | {"is_complete": False, "bad_files": ["1-0.trace: torn"]}])
    assert ">whole</th>" not in page([_run(), _run()], NOW)
    text = page([_run(), broken], NOW)
    assert ">whole</th>" in text and '<td class="bad">NO</td>' in text
