"""What is missing is run seed by seed; a run can be recorded again at any time."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.runtime.run.folder import find_run
from tests.support.traces.made_campaign import TINY, made, row
from workbench.analysis.campaign.conduct import CAMPAIGNS, campaign_names, keys_of, missing, record
from workbench.analysis.campaign.one_run import run_all
from workbench.analysis.campaign.outcome import plain
from workbench.analysis.campaign.read_file import read_campaign
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import summarise


def test_what_is_known_is_not_run_again_and_all_cells_grow_alike(tmp_path: Path) -> None:
    campaign = made(tmp_path, TINY)
    first, second = keys_of(campaign)
    assert missing(campaign, range(1, 3), []) == [(0, 1), (1, 1), (0, 2), (1, 2)]
    assert missing(campaign, range(1, 3), [row(first, 1), row(second, 2)]) == [(1, 1), (0, 2)]


def test_a_recording_is_a_run_like_any_other_and_is_made_once(tmp_path: Path) -> None:
    campaign, store = made(tmp_path, TINY), CampaignStore(tmp_path / "out")
    said: list[str] = []
    run = record(store, campaign, campaign.cells[0], 5, said.append)
    assert record(store, campaign, campaign.cells[0], 5, said.append) == run
    assert said == ["recording cell 1 seed 5"]
    folder = find_run(store.folder, run)
    assert (folder / "trace").is_dir() and any((folder / "trace").glob("*.trace"))


QUICK = ("election-spread",)
"""The others take more than a minute each."""


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in QUICK else pytest.mark.slow) for name in campaign_names()]
)
def test_a_campaign_that_comes_along_breaks_no_promise_but_those_it_says(name: str) -> None:
    campaign = read_campaign(CAMPAIGNS / f"{name}.toml")
    keys = keys_of(campaign)
    tasks = missing(campaign, range(1, 3), [])
    rows = [plain(outcome) for outcome in run_all([(campaign.cells[place].plan, seed) for place, seed in tasks])]
    summary = summarise(campaign, rows, keys, "")
    assert [(item.rule, item.cell.title, item.seeds) for item in summary.violated] == []


def test_a_promise_that_a_narrow_spread_takes_the_ground_from_holds_at_kafka_s_own() -> None:
    campaign = read_campaign(CAMPAIGNS / "election-spread.toml")
    rows = [row(str(cell.number), 1, violated=["L1", "L10"]) for cell in campaign.cells]
    summary = summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, "")
    assert {item.cell.level("spread") for item in summary.violated} == {"25", "50", "100 (Kafka)", "200"}
    assert {item.rule for item in summary.violated} == {item.rule for item in summary.expected} == {"L1", "L10"}
    assert {item.cell.level("spread") for item in summary.expected} == {"0", "2", "5", "10"}
