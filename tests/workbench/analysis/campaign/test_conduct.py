"""What is missing is run seed by seed; a run can be recorded again at any time."""

from __future__ import annotations

from pathlib import Path

from made_campaign import TINY, made, row

from cluster.runtime.run.folder import find_run
from workbench.analysis.campaign.conduct import keys_of, missing, record
from workbench.analysis.campaign.store import CampaignStore


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
