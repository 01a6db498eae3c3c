"""What is told of a recorded run before it is opened."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.simulation.lab.lab import SimulatedLab
from workbench.session import preview as module
from workbench.session.preview import preview


def recorded(folder: Path) -> Path:
    async def play() -> None:
        lab = SimulatedLab(ClusterSpec(seed=7), folder)
        for item in ("topic orders assign=1,2,3 min-isr=2", 0.5, "load 10", 2.0, "kill 1", 4.0):
            if isinstance(item, str):
                assert (await lab.send(item)).ok
            else:
                lab.advance(item)
        await lab.close()

    asyncio.run(play())
    return folder


def test_a_run_is_told_by_its_numbers_and_the_heads_of_its_story(tmp_path: Path) -> None:
    found = preview(recorded(tmp_path))
    assert found.said == "" and 6 < found.length_s < 9
    assert found.numbers[0].endswith("records acknowledged, none lost")
    assert found.numbers[1] == "1 fault, 1 leader of the quorum"
    heads = [row.text for row in found.rows if row.kind == "head"]
    assert any("killed n1" in head for head in heads)
    times = [float(row.time) for row in found.rows if row.kind == "head"]
    assert times == sorted(times), "the oldest stands first"
    assert found.world is not None and found.world.length_ns == round(found.length_s * 1e9)
    assert str(found.world.partition) == "orders-0" and found.world.recording.view.up_count()[0] < 6


def test_of_a_long_run_as_much_is_told_as_its_time_allows_and_how_far_that_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = recorded(tmp_path)
    monkeypatch.setattr(module, "READ_S_MAX", -1.0)
    early = preview(folder)
    assert early.said.startswith("as far as its first ") and early.length_s == 0
    assert early.world is not None and early.world.length_ns > 0 and early.numbers


def test_a_damaged_or_empty_run_is_said_to_be_so(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    assert preview(tmp_path).said == "its trace holds no events"
    (tmp_path / "trace" / "1-0.trace").write_bytes(b"\xff" * 5000)
    assert preview(tmp_path).said.startswith("its trace cannot be read: ")
