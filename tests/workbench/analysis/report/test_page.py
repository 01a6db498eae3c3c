"""The page stands alone, shows what the rows say, and lets nothing untrusted become markup."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any
from xml.etree import ElementTree

from tests.support.traces.made_report import RUN, made_run
from workbench.analysis.report.drawing import LABEL_MAX
from workbench.analysis.report.fates import fate_counts, record_fates
from workbench.analysis.report.html import STYLE
from workbench.analysis.report.page import RUNS_SHOWN, page
from workbench.analysis.report.positions import POINTS_MAX, consumer_lag, positions
from workbench.analysis.report.ribbon import isr_ribbon
from workbench.analysis.report.rows import RunRows, split
from workbench.analysis.report.sections import SECTIONS, overview_row
from workbench.analysis.report.slides import SCRIPT
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
    assert not re.search(r"(?:src|href)\s*=(?![\"]#)|@import|url\((?!#)", text.replace(SCRIPT, ""))
    assert "default-src 'none'" in text


def test_the_page_names_the_command_that_opens_a_run_at_a_second_of_its_figures() -> None:
    assert f"<code>workbench replay {RUN} --at 0.5</code>" in page([_run()], NOW), "of its first fault"
    assert f"<code>workbench replay {RUN} --at 0.5</code>" in page([_run(faults=[])], NOW), "in the middle"


def test_rows_of_internal_topics_are_folded_below_those_of_data() -> None:
    run = _run()
    (row, *_) = (row for row in run.tables["availability"] if row["topic"] != "__cluster_metadata")
    inner = [row | {"topic": "__consumer_offsets", "partition": place} for place in range(50)]
    text = page([_run(availability=[*inner, *run.tables["availability"]])], NOW)
    shown, _, folded = text.partition("<b>Availability</b>")[2].partition("<details><summary>Internal topics (50)")
    assert "__consumer_offsets" not in shown and folded.count("__consumer_offsets-") >= 20


def test_text_from_outside_never_becomes_markup_or_a_control_character() -> None:
    bad = "<script>alert(1)</script>\x1b]0;x\x07\u202e"
    fate = made_run()["record_fates"][0] | {"client_id": bad, "value": bad}
    text = page([_run(record_fates=[fate], runs=[made_run()["runs"][0] | {"title": bad}])], NOW)
    assert text.count("<script") == 1 and "\x1b" not in text and "\u202e" not in text
    assert "&lt;script&gt;" in text


def test_the_timeline_has_a_bar_for_each_leader_and_says_when_none_serves() -> None:
    titles = _titles(timeline(_run(), [("t", 0)]))
    assert "node 101, epoch 3: 0.100 s to 1.000 s; ended by: end of the run" in titles
    assert "node 1, epoch 0: 0.200 s to 0.900 s; ended by: broker 1 fenced" in titles
    assert "leader down for 400 ms" in titles
    assert "vote for epoch 2: split, 1 of 2 needed" in titles
    assert "0.500 s: kill 1" in titles


def test_bars_stand_where_their_times_are() -> None:
    bars = {
        item.findtext(f"{SVG}title"): (float(item.get("x", 0)), float(item.get("width", 0)))
        for item in _shapes(timeline(_run(), [("t", 0)])).iter(f"{SVG}rect")
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


def test_every_figure_with_a_time_axis_shows_the_faults() -> None:
    run = _run()
    for svg in (timeline(run, [("t", 0)]), isr_ribbon(run, "t", 0), positions(run, "t", 0), record_fates(run, "t", 0)):
        assert "0.500 s: kill 1" in _titles(svg)


def test_a_group_that_fell_behind_is_drawn_with_what_it_has_not_committed_and_not_read() -> None:
    shapes = _shapes(consumer_lag(_run(), "readers"))
    lines = {item.findtext(f"{SVG}title"): item.get("d", "") for item in shapes.iter(f"{SVG}path")}
    assert lines.keys() == {"t-0: lag", "t-0: unread"}
    assert lines["t-0: lag"].count("H") == 1, "it never changes once it is known"
    assert lines["t-0: unread"].count("H") == 2
    told = {item.text for item in shapes.iter(f"{SVG}title")}
    assert {"from 0.300 s: t-0 unread 2", "from 0.700 s: t-0 lag 0, unread 0"} <= told
    assert "readers: consumer lag" in page([_run()], NOW)


def test_the_pointer_is_told_the_values_of_its_time_in_a_line_of_the_figure() -> None:
    shapes = _shapes(positions(_run(), "t", 0))
    each = "log end offset 2, high watermark 1"
    told = f"from 0.202 s: broker 1 {each}; broker 2 {each}"
    hovered = [item for item in shapes.iter(f"{SVG}g") if item.get("class") == "h"]
    (shown,) = [item for item in hovered if item.findtext(f"{SVG}rect/{SVG}title") == told]
    assert [item.text for item in shown.iter(f"{SVG}text") if item.get("class") == "tip"] == [told]
    assert ".tip{display:none}.h:hover>.tip{display:block}" in STYLE


def test_a_label_is_never_cut_without_a_word() -> None:
    states = [{**made_run()["isr_history"][0], "topic": "a-topic-with-a-name-that-is-far-too-long"}]
    svg = timeline(_run(isr_history=states), [("a-topic-with-a-name-that-is-far-too-long", 0)])
    texts = [item.text or "" for item in _shapes(svg).iter(f"{SVG}text") if item.get("text-anchor") == "end"]
    assert max(map(len, texts)) <= LABEL_MAX and any("\u2026" in text for text in texts)
    assert "a-topic-with-a-name-that-is-far-too-long-0" in _titles(svg)
    assert len("__consumer_offsets-49") <= LABEL_MAX


def _with_internal_topics() -> RunRows:
    tables = made_run()
    inside = {"topic": "__consumer_offsets", "from_ms": 100.0, "until_ms": 900.0}
    tables["isr_history"] = [{**tables["isr_history"][0], **inside, "partition": n} for n in range(9)] + [
        *tables["isr_history"]
    ]
    down = {**tables["outages"][0], **inside}
    other = {**tables["outages"][0], "partition": 1, "from_ms": 700.0, "until_ms": 950.0}
    tables["outages"] += [{**down, "partition": n} for n in range(9)] + [other]
    tables["availability"] += [{**tables["availability"][0], "topic": "__consumer_offsets", "partition": 3}]
    (run,) = split(tables)
    return run


def test_data_topics_come_first_and_internal_ones_are_folded_at_the_end() -> None:
    run = _with_internal_topics()
    assert run.partitions[0] == ("t", 0) and run.data_partitions == [("t", 0)]
    text = page([run], NOW)
    folded = text.index("<details><summary><b>Internal topics</b> (9 partitions)</summary>")
    assert text.index("t-0: in-sync replicas") < folded < text.index("__consumer_offsets-0: in-sync replicas")
    assert "__consumer_offsets" not in text[: text.index("<details")]
    rows = SECTIONS["Availability"](run)
    assert [row["log"] for row in rows] == ["t-0", "__consumer_offsets-3"]


def test_time_without_writes_is_that_of_the_run_however_many_partitions_waited() -> None:
    run = _with_internal_topics()
    assert run.outage_ms("leader down") == 450.0, "from 500 to 950 ms, whichever partition it was"
    assert "<b>0.45 s</b><span>some partition without writes</span>" in page([run], NOW)


def test_without_a_partition_nothing_is_said_to_have_been_writable() -> None:
    tables = made_run(isr_history=[], availability=[], outages=[])
    (run,) = split(tables)
    assert run.outage_ms("leader down") is None and overview_row(run)["ms under min.insync"] is None
    text = page([run], NOW)
    assert '<div class="tile "><b>\u2013</b><span>no partition to write to</span></div>' in text
    assert "without writes" not in text


def test_a_page_of_many_runs_leads_to_each_and_back() -> None:
    runs = [_run(runs=[made_run()["runs"][0] | {"run": f"run-{n:02}"}]) for n in range(RUNS_SHOWN + 2)]
    text = page(runs, NOW)
    assert f'<a href="#run-{RUNS_SHOWN + 1}">' in text and f'<h2 id="run-{RUNS_SHOWN + 1}">' in text
    assert '<a href="#run-00">' not in text and ">run-00</td>" in text, "it has no figures here"
    assert text.count('<a href="#top">') == RUNS_SHOWN and '<h1 id="top">' in text


def test_a_folder_that_was_left_out_is_named_on_the_page() -> None:
    assert '<p class="alarm">Left out: &#x27;bob&#x27;: &lt;empty&gt;</p>' in page(
        [_run()], NOW, None, ["'bob': <empty>"]
    )


def test_the_page_suits_the_dark_and_a_phone() -> None:
    text = page([_run()], NOW)
    assert "@media (prefers-color-scheme:dark)" in text and "initial-scale=1" in text
    assert re.search(r"figure\{[^}]*overflow-x:auto", text), "a figure is moved sideways instead of being made tiny"
    body = text[text.index("<body>") :].replace(SCRIPT, "")
    assert not re.search(r"#(?:1b1f24|57606a|6a737d|e3e6ea|fbe9e9)", body), "ink and lines change with the light"


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
    assert '<td class="text">' in text and f'<td><a href="#{RUN}">{RUN}</a></td>' in text
    assert re.search(r"td\.text\{white-space:normal", text)


def test_only_where_a_run_is_not_whole_a_column_says_which_are() -> None:
    broken = _run(runs=[made_run()["runs"][0] | {"is_complete": False, "bad_files": ["1-0.trace: torn"]}])
    assert ">whole</th>" not in page([_run(), _run()], NOW)
    text = page([_run(), broken], NOW)
    assert ">whole</th>" in text and '<td class="bad">NO</td>' in text
