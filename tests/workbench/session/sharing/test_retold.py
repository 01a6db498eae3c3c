"""A shared run is played again to the byte; what cannot be is another run, and never a hang."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from cluster.runtime.run.folder import read_facts
from cluster.simulation.lab.journal import read_journal
from tests.support.worlds.shared_runs import lab_run
from workbench.session.sharing.retold import of_people, play_again, trace_hash
from workbench.session.sharing.shared_run import SharedRun, shared_in, text_of
from workbench.session.sharing.text_of_run import shared_of
from workbench.support.refusal import BAD_DATA, Refusal


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SharedRun]:
    folder = lab_run(tmp_path_factory.mktemp("home"))
    return folder, asyncio.run(shared_of(folder))


def traces(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "trace").iterdir()}


def test_a_lab_with_ten_commands_is_the_same_to_the_byte(tmp_path: Path, lab: tuple[Path, SharedRun]) -> None:
    folder, shared = lab
    shares: list[float] = []
    again = asyncio.run(play_again(tmp_path, shared_in(text_of(shared)), shares.append))
    assert traces(again.folder) == traces(folder)
    assert again.trace_hash == shared.trace_hash == trace_hash(folder)
    assert again.journal == of_people(read_journal(folder / "journal.jsonl"))
    assert shares == sorted(shares) and 0 < shares[0] < shares[-1] <= 1
    facts = read_facts(again.folder)
    assert (facts.state, facts.world, facts.seed, facts.title) == ("ended", "simulated", 7, "Free lab")
    assert len(text_of(shared)) < 600


@pytest.mark.parametrize("seed", [8, 0])
def test_with_another_seed_it_is_another_run(tmp_path: Path, lab: tuple[Path, SharedRun], seed: int) -> None:
    again = asyncio.run(play_again(tmp_path, replace(lab[1], seed=seed)))
    assert again.trace_hash != lab[1].trace_hash and read_facts(again.folder).state == "ended"


def test_a_way_that_the_cluster_does_not_go_ends_the_run(tmp_path: Path, lab: tuple[Path, SharedRun]) -> None:
    shared = lab[1]
    for end in ((10**15, *shared.end[1:]), (shared.end[0], 5, shared.end[2]), (*shared.end[:2], 10)):
        again = asyncio.run(play_again(tmp_path, replace(shared, end=end)))
        assert again.trace_hash != shared.trace_hash and read_facts(again.folder).state == "ended"


@pytest.mark.parametrize(
    "changes",
    [
        {"controllers": 0}, {"controllers": 10**9}, {"brokers": -1}, {"settings": {"nothing": 1}},
        {"settings": {"request_timeout_ms": 0}}, {"settings": {"control": "\x1b[2J"}}, {"given": ("nonsense 1",)},
        {"given": ("record",)},
    ],
)  # fmt: skip
def test_a_cluster_that_cannot_be_is_refused(
    tmp_path: Path, lab: tuple[Path, SharedRun], changes: dict[str, object]
) -> None:
    assert lab[1].cluster is not None
    shared = replace(lab[1], cluster=msgspec.structs.replace(lab[1].cluster, **changes))
    with pytest.raises(Refusal) as refusal:
        asyncio.run(play_again(tmp_path, shared))
    assert refusal.value.code == BAD_DATA and str(refusal.value).isprintable()
    assert not (tmp_path / "runs").exists()


def test_a_command_that_nobody_knows_is_refused_by_the_lab_as_ever(tmp_path: Path, lab: tuple[Path, SharedRun]) -> None:
    shared = replace(lab[1], outside=(replace(lab[1].outside[0], command="\x1b[2J <b>"),))
    assert asyncio.run(play_again(tmp_path, shared)).trace_hash != shared.trace_hash
