"""The `campaign` command: a grid of settings, faults and seeds, simulated on Spark."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from workbench.analysis.addresses import Addresses
from workbench.analysis.master import check_master
from workbench.analysis.packages import need_packages
from workbench.analysis.store.address import is_address
from workbench.analysis.store.claim import out_folder
from workbench.support.places import home_folder, usable_home
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import write_whole

if TYPE_CHECKING:
    from workbench.analysis.campaign.console import Progress
    from workbench.analysis.campaign.differences import Difference
    from workbench.analysis.campaign.plan import Campaign, Cell
    from workbench.analysis.campaign.store import CampaignStore
    from workbench.analysis.campaign.summary import Summary

CLEAN, VIOLATED = 0, 1
FIRST_SEEDS = 10
REPORT = "report.html"
PLACE = re.compile(r"([0-9]{1,4}):([0-9]{1,10})")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was typed."""

    file: str
    """A campaign file, or the name of one that comes along."""
    seeds: int
    """1 to this one, inclusive."""
    master: str | None
    """Spark master URL; None for this machine."""
    out: str | None
    """Output folder; by default campaigns/NAME in the data folder."""
    record: tuple[str, ...]
    """CELL:SEED to record beside what is telling."""
    against: str
    """Number of the cell, or `code`, that all are held against; empty for none."""
    until: str
    """MEASURE=WIDTH: no more seeds once no cell's interval is wider; empty for all seeds."""
    data_dir: str | None
    """Where runs are kept."""


def campaign(asked: Asked) -> int:
    """Simulate what is missing, then report. 0 when no promise was broken without an excuse, else 1."""
    check_master(asked.master)
    if is_address(asked.file):
        need_packages("a campaign")
    home = home_folder(asked.data_dir)
    far = Addresses([asked.file], home, asked.master)
    plan = _plan(far.here(asked.file))
    recorded = [_place(plan, text) for text in asked.record]
    _check_against(plan, asked.against)
    until = _until(plan, asked.until)
    out_folder(asked.out)
    need_packages("a campaign")
    if far.session is None:
        far = Addresses([asked.out], home, asked.master)
    with far.campaign(asked.out) as out:
        summary = _conduct(asked, plan, out, recorded, until)
    return VIOLATED if summary.violated else CLEAN


def _plan(named: str) -> Campaign:
    from workbench.analysis.campaign.fields import CampaignError
    from workbench.analysis.campaign.read_file import read_campaign

    path = _file(named)
    try:
        return read_campaign(path)
    except CampaignError as error:
        shown = "" if str(error).startswith(path.name) else f"{safe_text(path.name, 100)}: "
        raise Refusal(BAD_DATA, f"{shown}{safe_text(str(error), 500)}") from error


def _conduct(
    asked: Asked, plan: Campaign, out: Path | None, recorded: list[tuple[Cell, int]], until: tuple[str, float] | None
) -> Summary:
    """Simulate and report into an output folder; None for the one of this campaign's name."""
    from workbench.analysis.campaign.conduct import held_against
    from workbench.analysis.campaign.console import print_differences, print_end, print_summary
    from workbench.analysis.campaign.store import CampaignStore

    store = CampaignStore(out or (usable_home(asked.data_dir) / "campaigns" / plan.name).absolute())
    summary, progress = _enough(asked, plan, store, until)
    held = []
    if asked.against:
        seeds = range(1, summary.seeds[1] + 1)
        against = plan.cell(int(asked.against)) if asked.against.isdigit() else None
        named = "other code" if against is None else f"cell {against.number} ({against.title})"
        held.append((named, held_against(store, plan, seeds, asked.against)))
    page = _report(store, summary, recorded, progress, held)
    print_summary(summary)
    for named, differences_of in held:
        print_differences(named, differences_of)
    print(f"\npage: {page}\ntables: {store.folder / 'cells.csv'}, .json, .parquet")
    print_end(summary)
    return summary


def _check_against(plan: Campaign, against: str) -> None:
    from workbench.analysis.campaign.conduct import CODE

    is_cell = against.isascii() and against.isdigit() and plan.cell(int(against[:4])) is not None
    if against and against != CODE and not is_cell:
        allowed = f"a cell from 1 to {len(plan.cells)}, or {CODE}"
        raise Refusal(USAGE, f"--against: '{safe_text(against, 60)}'; {allowed}")


def _until(plan: Campaign, text: str) -> tuple[str, float] | None:
    """(measure, widest interval): of a share from 0 to 1, of a time in ms."""
    if not text:
        return None
    name, _, width = text.partition("=")
    try:
        wide = float(width)
    except ValueError:
        wide = 0.0
    if name not in plan.measures or not 0 < wide < float("inf"):
        allowed = (
            f"MEASURE=WIDTH with one of {', '.join(plan.measures)}; a share's width is from 0 to 1, a time's in ms"
        )
        raise Refusal(USAGE, f"--until: '{safe_text(text, 60)}'; {allowed}")
    return name, wide


def _enough(
    asked: Asked, plan: Campaign, store: CampaignStore, until: tuple[str, float] | None
) -> tuple[Summary, Progress]:
    """Run all seeds, or with a width as many as it takes: 10, then twice as many, and so on."""
    from workbench.analysis.campaign.conduct import summed_up

    last = asked.seeds if until is None else min(FIRST_SEEDS, asked.seeds)
    while True:
        seeds = range(1, last + 1)
        progress = _simulate(asked, plan, store, seeds)
        summary = summed_up(store, plan, seeds)
        if last == asked.seeds or until is None:
            return summary, progress
        widest = max((item.high - item.low for item in summary.of(until[0]) if item.has_interval), default=float("inf"))
        if widest <= until[1]:
            return summary, progress
        last = min(2 * last, asked.seeds)


def _file(named: str) -> Path:
    from workbench.analysis.campaign.conduct import CAMPAIGNS, campaign_names

    path = Path(named)
    if path.is_file():
        return path
    if named in campaign_names():
        return CAMPAIGNS / f"{named}.toml"
    raise Refusal(
        BAD_DATA, f"no campaign file '{safe_text(named, 200)}'; those that come along: {', '.join(campaign_names())}"
    )


def _place(plan: Campaign, text: str) -> tuple[Cell, int]:
    place = PLACE.fullmatch(text)
    cell = plan.cell(int(place[1])) if place else None
    if place is None or cell is None:
        allowed = f"CELL:SEED with a cell from 1 to {len(plan.cells)}, for example 3:17"
        raise Refusal(USAGE, f"--record: '{safe_text(text, 60)}'; {allowed}")
    return cell, int(place[2])


def _simulate(asked: Asked, plan: Campaign, store: CampaignStore, seeds: range) -> Progress:
    """Run what is missing. KeyboardInterrupt and Refusal go through once it is said what was kept."""
    from workbench.analysis.campaign.conduct import keys_of, missing
    from workbench.analysis.campaign.console import Progress
    from workbench.analysis.campaign.spread import spread

    outcomes = store.known(set(keys_of(plan)), seeds)
    tasks = missing(plan, seeds, outcomes)
    progress = Progress(len(outcomes) + len(tasks), len(outcomes))
    if not tasks:
        progress.say(f"all {len(outcomes):,} runs are there already")
        return progress
    if outcomes:
        progress.say(f"{len(outcomes):,} of {len(outcomes) + len(tasks):,} runs are there already")
    from workbench.analysis.spark import make_session, running_session, told_when_java_ends

    progress.say("starting Spark, some seconds")
    session = running_session() or make_session(asked.master)
    done = [len(outcomes)]

    def note(count: int) -> None:
        done[0] += count
        progress.note(count)

    try:
        with told_when_java_ends():
            spread(session, [cell.plan for cell in plan.cells], tasks, store.keep, note)
    except (KeyboardInterrupt, Refusal):
        progress.end()
        kept_so_far = (
            f"{done[0]:,} of {len(outcomes) + len(tasks):,} runs are kept; the same command goes on from there"
        )
        print(kept_so_far, file=sys.stderr)
        raise
    progress.end()
    return progress


def _report(
    store: CampaignStore,
    summary: Summary,
    wanted: list[tuple[Cell, int]],
    progress: Progress,
    held: list[tuple[str, list[Difference]]],
) -> Path:
    """Record what is telling or was asked for; write tables and page."""
    from workbench.analysis.campaign.conduct import RECORDED_MAX, record
    from workbench.analysis.campaign.page import page
    from workbench.analysis.campaign.summary import telling
    from workbench.analysis.campaign.tables import DIFFERENCES, difference_rows, rows_of, write_tables

    notes = telling(summary, RECORDED_MAX) + [(cell, seed, "asked for") for cell, seed in wanted]
    recordings = {}
    for cell, seed, _ in notes:
        run = record(store, summary.campaign, cell, seed, progress.say)
        recordings[cell.number, seed] = f"workbench replay {store.folder / 'runs' / run}"
    progress.end()
    write_tables(store, rows_of(summary))
    for _, differences_of in held:
        if differences_of:
            write_tables(store, difference_rows(differences_of), DIFFERENCES)
    path = write_whole(store.folder / REPORT, page(summary, recordings, notes, datetime.now().astimezone(), held))
    for cell, seed, why in notes:
        print(f"{why}: cell {cell.number} seed {seed}\n  {recordings[cell.number, seed]}")
    return path
