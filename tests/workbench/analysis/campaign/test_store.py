"""The output folder keeps what was run, and takes nobody else's place."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.traces.made_campaign import row
from workbench.analysis.campaign.store import CampaignStore
from workbench.support.refusal import Refusal


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    with pytest.raises(Refusal, match="holds other files and no campaign"):
        CampaignStore(tmp_path)
    assert [item.name for item in tmp_path.iterdir()] == ["letter.txt"]


def test_a_recording_that_was_deleted_is_forgotten(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "out")
    store.note_recording("k:1", "20260101-000000-000aa")
    assert store.recordings() == {}
    (store.folder / "runs" / "20260101-000000-000aa").mkdir(parents=True)
    assert store.recordings() == {"k:1": "20260101-000000-000aa"}


def test_a_folder_has_one_campaign_at_a_time(tmp_path: Path) -> None:
    store = CampaignStore(tmp_path / "out")
    with pytest.raises(Refusal, match=r"another campaign \(process \d+\) is at work there"):
        CampaignStore(tmp_path / "out")
    store.close()
    CampaignStore(tmp_path / "out").close()


@pytest.mark.spark
def test_outcomes_are_found_again_each_once_and_only_those_asked_for(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow", reason="the analysis extra is not installed: make install-analysis")
    from workbench.analysis.campaign.spread import batch_of

    store = CampaignStore(tmp_path / "out")
    rows = [row("a", 1), row("a", 2, violated=["P1"]), row("b", 1), row("a", 9)]
    store.keep(pa.Table.from_batches([batch_of(rows[:2])]))
    store.keep(pa.Table.from_batches([batch_of([*rows[1:], row("c", 1)])]))
    assert store.known({"a", "b"}, range(1, 3)) == rows[:3]
    (store.folder / "outcomes" / "part-000002.parquet").write_bytes(b"torn")
    with pytest.raises(Refusal, match="part-000002.parquet: .*; delete it and run again"):
        store.known({"a"}, range(1, 3))
