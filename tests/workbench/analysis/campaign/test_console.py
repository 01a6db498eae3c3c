"""What is printed: grids, sentences, verdicts, and a last line that says what was done."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.traces.made_campaign import SMALL, made, row
from workbench.analysis.campaign.console import Progress, print_end, print_summary
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.summary import Summary, summarise


def _summary(folder: Path) -> Summary:
    campaign = made(folder, SMALL.replace("[cluster]", '[expected]\nL1 = "no spread"\n[cluster]'))
    rows = [row(str(cell.number), seed, lost=cell.number // 8) for cell in campaign.cells for seed in range(1, 5)]
    rows[0]["violated"], rows[1]["violated"] = ["P1"], ["L1"]
    return summarise(campaign, rows, {str(cell.number): cell for cell in campaign.cells}, digest(rows))


def test_each_measure_has_a_grid_and_its_sentences(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(_summary(tmp_path))
    out = capsys.readouterr().out
    assert "What does a killed leader cost?" in out
    assert "Runs that lost an acknowledged record, with its 95 % interval; across: acks x min.insync.replicas" in out
    assert "all / 2" in out and "leader killed" in out and "100 %" in out
    assert "Most at fault leader killed, acks all, min_isr 2: 4 of 4 runs, 100 %" in out


def test_the_end_names_what_is_broken_what_was_expected_and_the_digest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    summary = _summary(tmp_path)
    print_end(summary)
    first, second, last = capsys.readouterr().out.splitlines()
    assert first == "VIOLATED P1: cell 1 (fault none, acks 1, min_isr 1), seeds 1"
    assert second == "expected: L1 is broken in 1 run: no spread"
    assert last.startswith("8 cells, seeds 1..4: 32 runs, ")
    assert last.endswith(f"1 unexpected verdicts, digest {summary.digest}")


def test_progress_counts_what_was_there_before(capsys: pytest.CaptureFixture[str]) -> None:
    progress = Progress(10, 4)
    progress.note(6)
    progress.end()
    assert capsys.readouterr().err.startswith("10 of 10 runs, ")
