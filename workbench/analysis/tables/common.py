"""What several tables need in their SQL: picking events, the time of a run's end, the union of intervals.

A table is one question in SQL. So Spark looks at its plan once, as a whole; built of calls it does so at each of them,
which for small runs is a good part of all the work.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from cluster.model.identifiers import METADATA
from workbench.analysis.reading.columns import ENVELOPE, FIELDS, ddl, fields_of, view_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

METADATA_TOPIC = METADATA.topic
LOG = "run, topic, partition"
REPLICA = f"{LOG}, node"
MOMENT = "struct(t_ns, node, incarnation, seq)"
"""When an event happened, finer than a clock: events of one start of a node are in the order of seq."""
COMMANDED_BY = "regexp_extract(`trigger`, '^command by (.*)$', 1)"
"""Who gave the command that an event tells of; empty where its trigger does not say."""


def asked(question: str, **tables: DataFrame) -> DataFrame:
    """The answer to a question in SQL to these tables, by their names there."""
    for name, table in tables.items():
        name_view(name, table)
    named = set(re.findall(r"\w+", _PICKED.sub("", question)))
    return table.sparkSession.sql(_PICKED.sub(lambda pick: _typed(pick[1].split(), named), question))


def name_view(name: str, table: DataFrame) -> None:
    """Give a table its name in SQL, if it has not got it yet: Spark plans that too."""
    views = _VIEWS.setdefault(table.sparkSession, {})
    if views.get(name) is not table:
        table.createOrReplaceTempView(name)
        views[name] = table


_VIEWS: WeakKeyDictionary[SparkSession, dict[str, DataFrame]] = WeakKeyDictionary()


def shown(columns: tuple[str, ...], question: str, **tables: DataFrame) -> DataFrame:
    """These columns of the answer, in order."""
    named = ", ".join(f"`{name}`" for name in columns)
    return asked(f"SELECT {named} FROM ({question})", **tables)


def picked(*events: str) -> str:
    """Stands for the events with one of these names, each field a column of its own beside those of the envelope.

    A field to which these events give different types is left out. So is each column that the question nowhere names:
    Spark would look at it in every step of every plan, which for small runs is most of the work.
    """
    return f"{{picked {' '.join(events)}}}"


_PICKED = re.compile("{picked ([^}]*)}")


def _typed(events: Sequence[str], named: Container[str] | None) -> str:
    """SQL for picked events with those columns that are named; with all for None."""
    envelope = ", ".join(f"`{name}`" for name in ENVELOPE if named is None or name in named)
    fields = {name: kind for name, kind in view_of(*events).items() if named is None or name in named}
    own = f", from_json({FIELDS}, '{ddl(fields)}') AS own" if fields else ""
    columns = f"{envelope}, own.*" if fields else envelope
    return f"(SELECT {columns} FROM (SELECT *{own} FROM events WHERE event IN ({quoted(events)})))"


def of(events: DataFrame, *names: str) -> DataFrame:
    """The same as a table."""
    return asked(f"SELECT * FROM {_typed(names, None)}", events=events)


def quoted(words: Iterable[str]) -> str:
    """SQL for these words of ours, as IN has them."""
    return ", ".join(f"'{word}'" for word in words)


def field(event: str, name: str) -> str:
    """SQL for a field of one event among all; null for others."""
    only = ddl({name: fields_of(event)[name]})
    return f"CASE WHEN event = '{event}' THEN from_json({FIELDS}, '{only}').`{name}` END"


OBSERVED = f"""
WITH times AS (SELECT run, event, t_ms, {field("proc.exited", "expected")} AS expected FROM events),
last AS (
  SELECT run, max(t_ms) AS last_ms, max(CASE WHEN event RLIKE '^(lesson|op|fault|command)[.]'
    OR event IN ('proc.started', 'proc.ready') THEN t_ms END) AS active_ms
  FROM times GROUP BY run),
closing AS (
  SELECT run, min(t_ms) AS closing_ms FROM times JOIN last USING (run)
  WHERE event IN ('proc.exited', 'ctl.shutdown_begun') AND coalesce(expected, true) AND t_ms > active_ms GROUP BY run)
SELECT run, coalesce(closing_ms, last_ms) AS observed_ms FROM last LEFT JOIN closing USING (run)
"""
"""run, observed_ms: when observation ends. What a lab ends when all is done is no outage, so it is not counted.

A process that ended without having been asked to is one all the same.
"""


def union_of(intervals: str, keys: str) -> str:
    """SQL for keys, from_ms, until_ms: overlapping and touching intervals of a key as one."""
    in_order = f"OVER (PARTITION BY {keys} ORDER BY from_ms, until_ms ROWS"
    return f"""(
SELECT {keys}, min(from_ms) AS from_ms, max(until_ms) AS until_ms FROM (
  SELECT *, sum(begins) {in_order} UNBOUNDED PRECEDING) AS place FROM (
    SELECT {keys}, from_ms, until_ms, CASE WHEN from_ms
      <= max(until_ms) {in_order} BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) THEN 0 ELSE 1 END AS begins
    FROM {intervals}))
GROUP BY {keys}, place)"""
