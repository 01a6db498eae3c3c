"""Outcomes become estimates, findings, and runs worth a look."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.traces.made_campaign import SMALL, made, row
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.page import page
from workbench.analysis.campaign.plan import Campaign
from workbench.analysis.campaign.summary import Row, Summary, estimate, summarise, telling
from workbench.analysis.campaign.tables import rows_of
from workbench.analysis.campaign.words import interval


def _summary(campaign: Campaign, rows: list[Row]) -> Summary:
    return summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))


def _rows(campaign: Campaign, seeds: int = 4) -> list[Row]:
    return [row(str(cell.number), seed) for cell in campaign.cells for seed in range(1, seeds + 1)]


def test_a_share_counts_runs_and_names_the_smallest_in_which_it_happened_most(tmp_path: Path) -> None:
    cell = made(tmp_path).cells[0]
    rows = [row("1", 1), row("1", 2, lost=3), row("1", 3, lost=1, events=5), row("1", 4)]
    found = estimate(MEASURES["loss_share"], cell, rows)
    assert found is not None
    assert (found.value, found.happened, found.runs, found.seed) == (0.5, 2, 4, 3)
    assert (found.low, found.high) == pytest.approx((0.15, 0.85), abs=0.01)


def test_a_mean_leaves_out_runs_that_say_nothing_and_names_the_largest(tmp_path: Path) -> None:
    cell = made(tmp_path).cells[0]
    rows = [row("1", 1, silence_us=None), row("1", 2, silence_us=1000), row("1", 3, silence_us=3000)]
    found = estimate(MEASURES["silence_ms"], cell, rows)
    assert found is not None
    assert (found.runs, found.value, found.median, found.most, found.seed) == (2, 2.0, 1.0, 3.0, 3)
    assert estimate(MEASURES["silence_ms"], cell, rows[:1]) is None


def test_an_interval_of_times_does_not_reach_below_nothing(tmp_path: Path) -> None:
    rows = [row("1", 1, leaderless_us=0), row("1", 2, leaderless_us=0), row("1", 3, leaderless_us=9000)]
    found = estimate(MEASURES["leaderless_ms"], made(tmp_path).cells[0], rows)
    assert found is not None and found.low == 0.0 and found.high > 3.0


def test_a_mean_of_one_run_has_no_interval_anywhere(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    summary = _summary(campaign, _rows(campaign, seeds=1))
    (mean, *_), (share, *_) = summary.of("silence_ms"), summary.of("loss_share")
    assert (mean.has_interval, share.has_interval) == (False, True)
    assert interval(mean) == "1 run: no interval" and interval(share) == "0 % to 79 %"
    told = page(summary, {}, [], datetime(2026, 1, 1, tzinfo=UTC))
    assert "20.0 ms</b><i>1 run: no interval</i>" in told and "95 % interval 20" not in told
    assert "the same in every run" not in told
    rows = {row["measure"]: (row["low"], row["high"]) for row in rows_of(summary)}
    assert rows["silence_ms"] == (None, None) and rows["loss_share"][0] == 0.0


def test_what_is_broken_is_found_with_its_smallest_runs_and_what_is_expected_apart(tmp_path: Path) -> None:
    campaign = made(tmp_path, SMALL.replace("[cluster]", '[expected]\nL1 = "why"\n[cluster]'))
    rows = _rows(campaign)
    rows[0]["violated"], rows[1]["violated"], rows[2]["violated"] = ["P1"], ["P1", "L1"], ["L1"]
    rows[1]["events"] = 1
    rows[3]["excused"] = ["C1"]
    summary = _summary(campaign, rows)
    assert [(item.rule, item.cell.number, item.runs, item.seeds) for item in summary.violated] == [("P1", 1, 2, (2, 1))]
    assert [(item.rule, item.seeds) for item in summary.expected] == [("L1", (2, 3))]
    assert summary.excused == (("C1", 1),)


def test_runs_worth_a_look_are_what_was_broken_then_the_most_of_each_measure(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    rows = _rows(campaign)
    rows[5]["lost"] = 2
    rows[9]["leaderless_us"] = 5000
    rows[14]["violated"] = ["P1"]
    found = telling(_summary(campaign, rows), 3)
    assert [(cell.number, seed) for cell, seed, _ in found] == [(4, 3), (2, 2), (1, 1)]
    assert [why.split(":")[0] for _, _, why in found][:2] == ["breaks P1", "Runs that lost an acknowledged record"]


def test_the_digest_of_rows_does_not_depend_on_their_order() -> None:
    rows = [row("1", 1), row("1", 2)]
    assert digest(rows) == digest(rows[::-1])
    assert digest(rows) != digest([row("1", 1), row("1", 2, events=1)])
