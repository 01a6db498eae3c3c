"""The page holds everything, asks the network for nothing, and says what its numbers show."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from html.parser import HTMLParser
from pathlib import Path

from tests.support.traces.made_campaign import SMALL, TINY, made, row
from workbench.analysis.campaign.curves import can_be_drawn, curves
from workbench.analysis.campaign.heatmap import RAMP, colour, heatmap
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.page import page
from workbench.analysis.campaign.plan import Campaign
from workbench.analysis.campaign.summary import Row, Summary, summarise
from workbench.analysis.campaign.words import findings, number

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
VOID = {"meta", "line", "circle", "rect", "path"}


class _Balance(HTMLParser):
    """Every tag that opens closes."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Closed in itself."""

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _summary(campaign: Campaign, rows: list[Row] | None = None) -> Summary:
    rows = rows or [row(str(cell.number), seed) for cell in campaign.cells for seed in range(1, 11)]
    return summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))


def _lossy(campaign: Campaign) -> Summary:
    rows = [
        row(str(cell.number), seed, lost=int(cell.number == 5 and seed <= 4))
        for cell in campaign.cells
        for seed in range(1, 11)
    ]
    return _summary(campaign, rows)


def test_the_page_is_whole_and_needs_nothing_from_outside(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    text = page(_lossy(campaign), {(5, 1): "workbench replay /x/runs/1"}, [(campaign.cells[4], 1, "why")], NOW)
    balance = _Balance()
    balance.feed(text)
    assert balance.open == []
    assert not re.search(r'(?:src|href)="(?!#)', text), "links lead within the page"
    assert "url(" not in text and text.count("<script") == 1 and "default-src 'none'" in text
    assert "workbench replay /x/runs/1" in text and "seeds in each cell" in text


def test_every_cell_links_to_its_line_and_names_its_seeds(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    text = page(_lossy(campaign), {}, [], NOW)
    wanted = {f"cell-{cell.number}" for cell in campaign.cells}
    assert set(re.findall(r'href="#(cell-\d+)"', text)) == wanted
    assert set(re.findall(r'id="(cell-\d+)"', text)) == wanted
    assert text.count("<td>1 to 10</td>") == len(campaign.cells)


def test_text_of_a_file_cannot_become_part_of_the_page(tmp_path: Path) -> None:
    text = SMALL.replace('title = "Small"', 'title = "<b>&\\"x"').replace("The leader is killed.", "<i>killed</i>")
    shown = page(_summary(made(tmp_path, text)), {}, [], NOW)
    assert '<b>&"x' not in shown and "<i>killed" not in shown
    assert "&lt;b&gt;&amp;&quot;x" in shown and "&lt;i&gt;killed" in shown


def test_a_heatmap_has_a_heading_for_each_level_and_a_value_with_interval_in_each_cell(tmp_path: Path) -> None:
    text = heatmap(_lossy(made(tmp_path)), MEASURES["loss_share"])
    assert re.findall(r'<th colspan="(\d)">(1|all|2)</th>', text) == [
        ("2", "1"), ("2", "all"), ("1", "1"), ("1", "2"), ("1", "1"), ("1", "2"),
    ]  # fmt: skip
    assert "min.insync.replicas" in text
    assert "<b>40 %</b><i>17 % to 69 %</i>" in text
    assert text.count("<b>0 %</b>") == 7
    assert text.count(colour(0.4)) >= 1 and text.count(RAMP[0]) >= 7


def test_a_hole_of_the_grid_is_shown_as_one(tmp_path: Path) -> None:
    text = SMALL.replace('set = "topic.min_isr"', 'set = "topic.replicas"')
    text = text.replace('steps = ["0s kill $1"]', 'steps = ["0s kill $1", "0s kill $2"]')
    assert heatmap(_summary(made(tmp_path, text)), MEASURES["loss_share"]).count('class="hole"') == 2


def test_colours_grow_darker_evenly() -> None:
    light = [sum(int(colour(step / 20)[place : place + 2], 16) for place in (1, 3, 5)) for step in range(21)]
    assert light == sorted(light, reverse=True)
    assert colour(0) == RAMP[0] and colour(1) == RAMP[-1]


def test_sentences_say_where_most_is_and_what_cannot_be_told(tmp_path: Path) -> None:
    lines = findings(_lossy(made(tmp_path)), MEASURES["loss_share"])
    assert lines[0] == (
        "Most at fault leader killed, acks 1, min_isr 1: 4 of 10 runs, 40 %, 95 % interval 17 % to 69 %."
    )
    assert "Nothing of it in 7 cells; never seen in 10 runs is not never: up to 28 % is possible." in lines[1]
    assert lines[2].startswith("The interval of the largest value overlaps with that of 7 cells with less: 10 runs")


def test_sentences_about_what_never_happened_give_a_bound(tmp_path: Path) -> None:
    (line,) = findings(_summary(made(tmp_path)), MEASURES["loss_share"])
    assert "none of 80 runs" in line and "up to 28 %" in line


def test_one_axis_of_numbers_is_drawn_as_curves(tmp_path: Path) -> None:
    summary = _summary(made(tmp_path, TINY.replace("[200, 300]", "[200, 300, 400, 500]")))
    assert can_be_drawn(summary)
    assert not can_be_drawn(_summary(made(tmp_path)))
    svg = curves(summary, MEASURES["leaderless_ms"])
    assert svg.count("<rect") == 4
    assert all(f">{level}</text>" in svg for level in (200, 300, 400, 500))


def test_numbers_have_as_many_digits_as_they_can_bear() -> None:
    share, time, count = MEASURES["loss_share"], MEASURES["silence_ms"], MEASURES["lost"]
    assert [number(share, value) for value in (0, 0.005, 0.5, 0.954, 1)] == ["0 %", "0.5 %", "50 %", "95.4 %", "100 %"]
    assert [number(time, value) for value in (0, 0.345, 20.4, 294.7, 1497.1)] == [
        "0 ms", "0.34 ms", "20.4 ms", "295 ms", "1.50 s",
    ]  # fmt: skip
    assert [number(count, value) for value in (0, 1.55, 400.2)] == ["0", "1.55", "400"]
