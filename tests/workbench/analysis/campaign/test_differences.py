"""Cells are held against one of them, or against what other code made, seed by seed."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.support.traces.made_campaign import made, row
from workbench.analysis.campaign.conduct import held_against, keys_of
from workbench.analysis.campaign.differences import Difference, differences, pairs_of, sentence
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.page import page
from workbench.analysis.campaign.plan import Campaign
from workbench.analysis.campaign.spread import batch_of
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import summarise
from workbench.analysis.campaign.tables import difference_rows
from workbench.support.refusal import Refusal

SEEDS = range(1, 21)


def _rows(campaign: Campaign, **more: Any) -> list[dict[str, Any]]:
    """Silence has the seed's luck in it, far more than what cell 2 adds; cell 3 loses records in most seeds."""
    return [
        row(key, seed, silence_us=seed * 100_000 + (900 + seed % 3 * 100 if cell.number == 2 else 0),
            lost=int(cell.number == 3 and seed > 5), **more)
        for key, cell in keys_of(campaign, str(more.get("engine", ""))).items() for seed in SEEDS
    ]  # fmt: skip


def _by(found: list[Difference]) -> dict[tuple[str, int], Difference]:
    return {(item.measure.name, item.cell.number): item for item in found}


def test_a_difference_that_is_far_smaller_than_the_luck_of_seeds_is_seen_in_pairs(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    assert len(campaign.cells) == 8
    keys, rows = keys_of(campaign), _rows(campaign)
    found = _by(differences(campaign, pairs_of(rows, keys, campaign.cells[0])))
    assert {cell for _, cell in found} == {2, 3, 4, 5, 6, 7, 8}
    silence = found["silence_ms", 2]
    assert (silence.pairs, silence.value) == (20, pytest.approx(1.0, abs=0.01)) and silence.is_sure
    assert silence.low < 1.0 < silence.high < 1.1
    assert (found["silence_ms", 4].value, found["silence_ms", 4].corrected) == (0.0, 1.0)
    share = found["loss_share", 3]
    assert (share.value, share.p) == (0.75, pytest.approx(2 / 2**15)) and share.corrected == pytest.approx(20 * share.p)
    assert sentence(share).startswith(f"{share.cell.title}: +75 % (95 % interval +") and sentence(share).endswith(
        "p 0.001"
    )
    assert sentence(found["silence_ms", 4]).endswith("p 1.000; chance explains it")


def test_a_seed_that_only_one_of_both_has_is_no_pair(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    keys = keys_of(campaign)
    rows = [item for item in _rows(campaign) if item["seed"] > 18 or keys[item["cell"]].number != 2]
    found = _by(differences(campaign, pairs_of(rows, keys, campaign.cells[0])))
    assert (found["silence_ms", 2].pairs, found["silence_ms", 4].pairs) == (2, 20)


def test_cells_are_held_against_what_other_code_made_of_the_same_plans(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    store = CampaignStore(tmp_path / "out")
    store.keep(_table(_rows(campaign)))
    with pytest.raises(Refusal, match="no outcomes of these plans by other code are kept"):
        held_against(store, campaign, SEEDS, "code")
    before = [item | {"lost": 0} for item in _rows(campaign, engine="before")]
    store.keep(_table(before))
    found = held_against(store, campaign, SEEDS, "code")
    sure = [(item.measure.name, item.cell.number) for item in found if item.is_sure]
    assert len(found) == 24 and sure == [("loss_share", 3)]
    store.close()


def _table(rows: list[dict[str, Any]]) -> Any:
    pa = pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")

    return pa.Table.from_batches([batch_of([item | {"engine": item["engine"]} for item in rows])])


def test_page_and_tables_tell_them(tmp_path: Path) -> None:
    campaign = made(tmp_path)
    keys, rows = keys_of(campaign), _rows(campaign)
    found = differences(campaign, pairs_of(rows, keys, campaign.cells[0]))
    summary = summarise(campaign, rows, keys, digest(rows))
    text = page(summary, {}, [], datetime(2026, 1, 1, tzinfo=UTC), [("cell 1 (a <b>)", found)])
    assert "<h2>Differences from cell 1 (a &lt;b&gt;)</h2>" in text and "Holm" in text
    plain = difference_rows(found)
    assert len(plain) == len(found) and {"cell", "axis_fault", "measure", "pairs", "p", "corrected"} <= plain[0].keys()
