"""A whole campaign: what is missing is simulated, what is telling is recorded, everything is summed up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cluster.simulation.world.recording import TraceFiles
from workbench.analysis.campaign.differences import Difference, differences, pairs_of, pairs_of_code
from workbench.analysis.campaign.one_run import engine_digest, run_cell
from workbench.analysis.campaign.outcome import digest
from workbench.analysis.campaign.plan import Campaign, Cell
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import Summary, summarise
from workbench.runs.launch import recorded
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.shipped import shipped

RECORDED_MAX = 6
CODE = "code"
"""What cells are held against instead of one of them: the same by another version of the code."""
CAMPAIGNS = shipped("campaigns")
"""Those that come along."""


def campaign_names() -> list[str]:
    """Names of the campaigns that come along."""
    return sorted(path.stem for path in CAMPAIGNS.glob("*.toml"))


def keys_of(campaign: Campaign, engine: str = "") -> dict[str, Cell]:
    """Which cell the outcomes of a plan belong to. Two cells with equal plans share their runs with the first.

    Args:
        engine: digest of the code that ran it; empty for the code that is here.
    """
    keys: dict[str, Cell] = {}
    for cell in campaign.cells:
        keys.setdefault(cell.plan.key(engine or engine_digest()), cell)
    return keys


def missing(campaign: Campaign, seeds: range, known: Sequence[dict[str, Any]]) -> list[tuple[int, int]]:
    """(place of the cell, seed) of what was not run yet: seed by seed, so that all cells grow alike."""
    done = {(row["cell"], row["seed"]) for row in known}
    keys = {key: cell.number - 1 for key, cell in keys_of(campaign).items()}
    return [(place, seed) for seed in seeds for key, place in keys.items() if (key, seed) not in done]


def summed_up(store: CampaignStore, campaign: Campaign, seeds: range) -> Summary:
    """The numbers of everything that was run of these seeds."""
    keys = keys_of(campaign)
    rows = store.known(set(keys), seeds)
    return summarise(campaign, rows, keys, digest(rows))


def held_against(store: CampaignStore, campaign: Campaign, seeds: range, against: str) -> list[Difference]:
    """How the cells differ from one of them, by its number, or from what other code made of the same plans.

    Refusal when there is nothing to hold them against.
    """
    keys = keys_of(campaign)
    rows = store.known(set(keys), seeds)
    if against != CODE:
        cell = campaign.cell(int(against))
        assert cell is not None, "looked at before anything was run"
        return differences(campaign, pairs_of(rows, keys, cell))
    for engine in store.engines():
        old = keys_of(campaign, engine)
        if engine != engine_digest() and (before := store.known(set(old), seeds)):
            return differences(campaign, pairs_of_code(rows, keys, before, old))
    nothing = "no outcomes of these plans by other code are kept there"
    raise Refusal(BAD_DATA, f"--against code: {nothing}; run the campaign into the same --out with both versions")


def record(store: CampaignStore, campaign: Campaign, cell: Cell, seed: int, tell: Callable[[str], None]) -> str:
    """The id of a recording of one run, made again from its seed unless there is one already."""
    key = f"{cell.plan.key(engine_digest())}:{seed}"
    recorded_before = store.recordings().get(key)
    if recorded_before is not None:
        return recorded_before
    tell(f"recording cell {cell.number} seed {seed}")
    title = f"{cell.title}, seed {seed}"[:120]
    with recorded(store.folder, cell.plan.config(seed, title)) as folder:
        files = TraceFiles(folder / "trace")
        try:
            run_cell(cell.plan, seed, title, [files])
        finally:
            files.close()
    store.note_recording(key, folder.name)
    return folder.name
