"""Questions in SQL: to tables, to views of events, and what is no question."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from workbench.support.refusal import USAGE, Refusal

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from workbench.analysis.store.tables import Store

pytestmark = pytest.mark.spark


def test_tables_and_views_of_events_answer_alike(spark: SparkSession, recorded: Path, analysed: Store) -> None:
    from workbench.analysis.questions import answer

    query = """
        SELECT e.epoch, l.node, count(*) OVER () AS elected, (SELECT count(*) FROM events) AS events
        FROM elections e JOIN raft_leader_elected l USING (run, epoch) WHERE e.leader = l.node ORDER BY e.epoch
    """
    rows = answer(spark, analysed, [recorded.name], query)
    (count,) = answer(spark, analysed, [recorded.name], "SELECT event_count, outcome FROM runs, elections LIMIT 1")
    assert len(rows) >= 1 and all(row["elected"] == len(rows) for row in rows)
    assert {row["events"] for row in rows} == {count["event_count"]} and count["outcome"] == "won"


@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("selec 1", "Syntax error at or near 'selec'"),
        ("select * from nosuch", "nosuch"),
        ("select nosuch from elections", "nosuch"),
        ("select raise_error('no\x1b[2Jway')", "way"),
    ],
)
def test_what_is_no_question_is_told_in_one_line_without_a_stack(
    spark: SparkSession, recorded: Path, analysed: Store, query: str, told: str
) -> None:
    from workbench.analysis.questions import answer

    with pytest.raises(Refusal) as refused:
        answer(spark, analysed, [recorded.name], query)
    text = str(refused.value)
    assert refused.value.code == USAGE and told in text
    assert not any(sign in text for sign in ("\n", "\x1b", "org.apache", "\tat "))
    assert not logging.getLogger("SQLQueryContextLogger").isEnabledFor(logging.ERROR), "it would print all of it again"


def test_every_table_says_what_its_columns_are(spark: SparkSession, recorded: Path, analysed: Store) -> None:
    from workbench.analysis.questions import described, listed
    from workbench.analysis.store.tables import read_table
    from workbench.analysis.tables import TABLES

    assert {row["table"] for row in listed()} > {*TABLES}
    for name in TABLES:
        _, columns = described(name)
        made = read_table(spark, analysed.table(name), [recorded.name])
        assert sorted(row["column"] for row in columns) == sorted(made.columns), name
    told, columns = described("raft.leader_elected")
    assert told.startswith("raft_leader_elected: ")
    assert {"column": "votes", "type": "array<bigint>", "unit": ""} in columns
    with pytest.raises(Refusal, match="no table 'nosuch' and no such event"):
        described("nosuch")
