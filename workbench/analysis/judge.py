"""The checker over rows of the events table. Plain Python, run by the workers of Spark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from cluster.invariants.checker import Checker
from cluster.invariants.verdicts.verdict import InvariantVerdict
from cluster.model.codec import from_plain
from cluster.model.entry import Entry, EventId, UnknownEvent
from cluster.model.events import CATALOGUE
from cluster.model.ruling import Decision
from cluster.trace.reader import origin_of
from workbench.analysis.reading.columns import FIELDS, fields_of

if TYPE_CHECKING:
    import pyarrow as pa

NEEDED = ("run", "node", "incarnation", "seq", "t_ns", "wall_ns", "lamport", "trigger", "event", "is_known")
DECISION = ("rule", "rule_granted", "rule_reason", "rule_numbers")
CAUSE = ("cause_node", "cause_incarnation", "cause_seq")
TORN = "torn"
"""Column with the names of those files of the run that end in the middle of an entry; null for none."""
VERDICTS = {
    "run": "string",
    "rule": "string",
    "title": "string",
    "verdict": "string",
    "check_count": "bigint",
    "violation_count": "bigint",
    "sentence": "string",
    "record": "string",
    "assumption": "string",
    "excuse": "string",
    "node": "bigint",
    "incarnation": "bigint",
    "seq": "bigint",
}
"""A rule over a run. The last columns are of the first violation that nothing excuses, else of the first that is."""


def entry_of(row: dict[str, Any]) -> Entry:
    """The event that a row was made of; of an event of a newer version only the name, of a rule all but its source."""
    cause = None if row["cause_node"] is None else EventId(*(row[name] for name in CAUSE))
    fields: list[Any] = [row[name] for name in ("run", "node", "incarnation", "seq", "t_ns", "wall_ns", "lamport")]
    fields += [cause, row["trigger"], _decision(row), _event(row["event"], row[FIELDS], is_known=row["is_known"])]
    return Entry(*fields)


def _decision(row: dict[str, Any]) -> Decision | None:
    if row["rule"] is None:
        return None
    rule, granted, reason, numbers = (row[name] for name in DECISION)
    return Decision(rule, granted, reason, "", json.loads(numbers))


def _event(name: str, text: str, *, is_known: bool) -> Any:
    if not is_known:
        return UnknownEvent(name, ())
    given = json.loads(text)
    plain = tuple(_without_names(given.get(column)) for column in fields_of(name))
    return from_plain(CATALOGUE[name], plain)


def _without_names(value: Any) -> Any:
    """The parts of a tuple have the names _1, _2, ... in a table."""
    if isinstance(value, dict):
        return tuple(map(_without_names, value.values()))
    return tuple(map(_without_names, value)) if isinstance(value, list) else value


def judge(rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The verdicts of each run. The rows of a run follow each other in the order of t_ns, node and seq."""
    for run, mine in groupby(rows, itemgetter("run")):
        yield from _judged(run, mine)


def _judged(run: str, rows: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Of one run; there is at least one row."""
    checker, first = Checker(), next(rows)
    checker.feed_all(map(entry_of, chain((first,), rows)))
    for line in checker.finish(torn=map(origin_of, first[TORN] or ())):
        yield _row(run, line)


def _row(run: str, line: InvariantVerdict) -> dict[str, Any]:
    fields: dict[str, Any] = dict.fromkeys(VERDICTS) | {"run": run, "rule": line.info.id, "title": line.info.title}
    fields |= {"verdict": str(line.verdict), "check_count": line.checks, "violation_count": line.violation_count}
    if line.violations:
        first = line.violations[0]
        fields |= {"sentence": first.sentence, "record": first.record or None}
        if first.broken is not None:
            fields |= {"assumption": first.broken.assumption, "excuse": first.broken.why}
        if first.events:
            fields |= dict(zip(("node", "incarnation", "seq"), first.events[0], strict=True))
    return fields


def judge_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same over Arrow, as mapInArrow wants it."""
    import pyarrow as pa

    rows = (row for batch in batches for row in batch.to_pylist())
    kinds = {"string": pa.string(), "bigint": pa.int64()}
    schema = pa.schema([(name, kinds[kind]) for name, kind in VERDICTS.items()])
    for _, lines in groupby(judge(rows), itemgetter("run")):
        yield pa.RecordBatch.from_pylist(list(lines), schema=schema)
