"""Spark gives what a plain loop gives, bit by bit, and a campaign that broke off goes on to the same end."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from cluster.model.events import FaultInjected
from cluster.trace.reader import read_all
from tests.support.traces.made_campaign import SMALL, TINY, made
from workbench.analysis.campaign.conduct import keys_of, missing, record, summed_up
from workbench.analysis.campaign.measures import MEASURES
from workbench.analysis.campaign.one_run import run_all
from workbench.analysis.campaign.outcome import digest, plain
from workbench.analysis.campaign.plan import Step
from workbench.analysis.campaign.store import CampaignStore
from workbench.analysis.campaign.summary import Row

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SEEDS = range(1, 7)
STEPS = (
    (0, "kill controller"), (400, "pause $1"), (2500, "resume $1"), (3000, "kill $2"), (3000, "kill $3"),
    (5500, "start $2"), (5600, "start $3"), (7500, "isolate $1"), (8200, "heal"), (8400, "power-loss 1,2,3"),
)  # fmt: skip
COMPARED = ("operations", "record_fates", "outages")
FATES = ("visible", "in the log", "duplicated", "deleted", "lost", "refused", "written though refused", "in doubt")


def test_executors_give_what_a_plain_loop_gives(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.campaign.spread import one_round

    campaign = made(tmp_path, TINY)
    plans = [cell.plan for cell in campaign.cells]
    tasks = missing(campaign, SEEDS, [])
    serial = [plain(outcome) for outcome in run_all([(plans[place], seed) for place, seed in tasks])]
    assert len(serial) == 12
    assert one_round(spark, plans, tasks).to_pylist() == serial


def test_what_was_kept_before_an_interruption_is_not_run_again(spark: SparkSession, tmp_path: Path) -> None:
    from workbench.analysis.campaign.spread import spread

    campaign, store = made(tmp_path, TINY), CampaignStore(tmp_path / "out")
    plans = [cell.plan for cell in campaign.cells]
    kept: list[int] = []

    def keep_once(table: pa.Table) -> None:
        if kept:
            raise KeyboardInterrupt
        kept.append(table.num_rows)
        store.keep(table)

    tasks = missing(campaign, SEEDS, [])
    with pytest.raises(KeyboardInterrupt):
        spread(spark, plans, tasks + [(0, seed) for seed in range(100, 140)], keep_once, lambda _count: None)
    known = store.known(set(keys_of(campaign)), SEEDS)
    assert 0 < len(known) < len(tasks)
    rest = missing(campaign, SEEDS, known)
    assert len(rest) == len(tasks) - len(known)
    spread(spark, plans, rest, store.keep, lambda _count: None)
    summary = summed_up(store, campaign, SEEDS)
    serial = [plain(outcome) for outcome in run_all([(plans[place], seed) for place, seed in tasks])]
    assert (summary.rows, summary.digest) == (len(tasks), digest(serial))


def test_measures_are_what_the_tables_say_of_the_same_run(spark: SparkSession, tmp_path: Path) -> None:
    """Controllers and brokers die, stand still, are cut off and lose power; two independent ways count it."""
    text = SMALL.replace("controllers = 1", "controllers = 3").replace('trouble = "3s"', 'trouble = "9s"')
    steps = ", ".join(f'"{at_ms}ms {command}"' for at_ms, command in STEPS)
    campaign = made(tmp_path, text.replace('"0s kill $1"', steps))
    cell = next(cell for cell in campaign.cells if cell.title == "fault leader killed, acks 1, min_isr 2")
    assert cell.plan.trouble.steps[-1] == Step(at_ms=8400, command="power-loss 1,2,3")
    (outcome,) = run_all([(cell.plan, 3)])
    tables = _tables(spark, tmp_path, record(CampaignStore(tmp_path / "out"), campaign, cell, 3, print))
    begin_ms = _first_fault_ms(tmp_path)
    asked = [row for row in tables["elections"] if row["started_ms"] >= begin_ms]
    assert (outcome.elections, outcome.splits) == (len(asked), sum(row["outcome"] == "split" for row in asked))
    assert outcome.elections > 0
    quorum = _length_ms(tables["outages"], begin_ms, "__cluster_metadata", {"leaderless"})
    assert outcome.leaderless_us / 1000 == pytest.approx(quorum, abs=0.01) and quorum > 100
    thin = _length_ms(tables["outages"], begin_ms, "orders", {"under min.insync"})
    assert outcome.under_min_isr_us / 1000 == pytest.approx(thin, abs=0.01) and thin > 500
    every = {"under min.insync", "leaderless", "leader down", "leader paused"}
    assert outcome.no_acks_all_us / 1000 == pytest.approx(
        _length_ms(tables["outages"], begin_ms, "orders", every), abs=0.01
    )
    fates = {name: sum(row["count"] or 1 for row in tables["record_fates"] if row["fate"] == name) for name in FATES}
    assert (outcome.lost, outcome.refused) == (fates["lost"], fates["refused"] + fates["written though refused"])
    assert outcome.lost > 0 and MEASURES["loss_share"].value(plain(outcome)) == 1.0
    assert outcome.acknowledged == sum(
        fates[name] for name in ("lost", "deleted", "visible", "in the log", "duplicated")
    )


def _tables(spark: SparkSession, folder: Path, run: str) -> dict[str, list[Row]]:
    """The tables that measures are held against, and what those are made from."""
    from workbench.analysis.reading.ranges import examine
    from workbench.analysis.store.tables import Store
    from workbench.analysis.tables import EVENTS, READINGS, TABLES

    trace = folder / "out" / "runs" / run
    (trace / "run.json").unlink()  # then it goes by the name that its events give it
    store, source = Store(folder / "analysed"), examine(trace)
    store.read(spark, [source])
    own = spark.newSession()  # the reading has begun to plan all tables, which have names of their own in the other one
    own.conf.set("spark.sql.shuffle.partitions", "1")
    events, readings = store.input(own, [source])
    made_tables = {EVENTS: events.coalesce(1).cache(), READINGS: readings}
    for name in ("runs", "isr_history", "leaderships", "elections", "log_positions", "log_cells", *COMPARED):
        info = TABLES[name]
        made_tables[name] = info.function()(*(made_tables[item] for item in info.inputs)).cache()
    return {name: made_tables[name].toArrow().to_pylist() for name in ("elections", *COMPARED)}


def _first_fault_ms(folder: Path) -> float:
    """When the steps begin, since the first event of the run."""
    (trace,) = (folder / "out" / "runs").glob("*/trace")
    entries = list(read_all(trace))
    first = next(entry for entry in entries if isinstance(entry.event, FaultInjected))
    return (first.t_ns - entries[0].t_ns) / 1e6


def _length_ms(outages: list[Row], begin_ms: float, topic: str, kinds: set[str]) -> float:
    """The union of these windows, from begin_ms on."""
    chosen = sorted(
        (max(row["from_ms"], begin_ms), row["until_ms"])
        for row in outages
        if row["topic"] == topic and row["kind"] in kinds and row["until_ms"] > begin_ms
    )
    total = reached = 0.0
    for from_ms, until_ms in chosen:
        total += max(0.0, until_ms - max(from_ms, reached))
        reached = max(reached, until_ms)
    return total
