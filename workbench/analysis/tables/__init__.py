"""All tables: which function makes each, from what, and what a row is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

EVENTS, READINGS, ANSWERS = "events", "readings", "told_answers"
"""What tables are made from at the bottom: the events, how the reading of each file went, what answers.json says."""


@dataclass(frozen=True, slots=True)
class TableInfo:
    """How a table is made: by which function, and of which others."""

    name: str
    """Name of the table, and of the function that makes it."""
    module: str
    """Module of this package that holds the function."""
    inputs: tuple[str, ...]
    """Tables the function takes, in order; events and readings among them."""
    text: str
    """What a row is."""

    def function(self) -> Callable[..., DataFrame]:
        """The function; imports Spark."""
        from importlib import import_module

        made: Callable[..., DataFrame] = getattr(import_module(f"{__name__}.{self.module}"), self.name)
        return made

    def columns(self) -> tuple[str, ...]:
        """Their names, in order; imports Spark."""
        from importlib import import_module

        named: tuple[str, ...] = getattr(import_module(f"{__name__}.{self.module}"), f"{self.name.upper()}_COLUMNS")
        return named


_ALL = (
    TableInfo("runs", "runs", (EVENTS, READINGS), "a recorded run"),
    TableInfo("script", "runs", (EVENTS,), "a step, check or answer of a lesson or script"),
    TableInfo("isr_history", "isr_history", (EVENTS, "runs"), "a committed state of a partition"),
    TableInfo("partitions", "partitions", (EVENTS,), "a partition as it stands at the end"),
    TableInfo("leaderships", "leaderships", (EVENTS, "isr_history", "runs"), "an epoch of a log that had a leader"),
    TableInfo("elections", "elections", (EVENTS, "leaderships"), "a quorum epoch for which votes were asked"),
    TableInfo("vote_rounds", "elections", (EVENTS, "elections"), "a round of votes of one candidate"),
    TableInfo("log_positions", "log_positions", (EVENTS,), "a change of a replica's log end or high watermark"),
    TableInfo("log_cells", "log_cells", (EVENTS, "log_positions"), "a batch in a replica's log"),
    TableInfo("truncations", "truncations", (EVENTS, "log_positions", "log_cells"), "a log that became shorter"),
    TableInfo("operations", "operations", (EVENTS,), "a produce operation as its client saw it"),
    TableInfo(
        "record_fates",
        "record_fates",
        ("operations", EVENTS, "log_cells", "isr_history", "runs"),
        "a produce operation and what became of it",
    ),
    TableInfo("record_totals", "record_totals", ("record_fates",), "a partition and what became of all its records"),
    TableInfo(
        "outages", "outages", (EVENTS, "leaderships", "isr_history", "runs"), "a window in which a log could not serve"
    ),
    TableInfo("availability", "outages", ("outages", "leaderships", "runs"), "the uptime of a log"),
    TableInfo("faults", "faults", (EVENTS, "isr_history", "runs"), "a fault and what came after it"),
    TableInfo("rebalances", "rebalances", (EVENTS, "runs"), "a time that a consumer group was not at rest"),
    TableInfo("member_epochs", "member_epochs", (EVENTS, "runs"), "an assignment of a member of a consumer group"),
    TableInfo("groups", "groups", (EVENTS, "rebalances", "member_epochs"), "a consumer group"),
    TableInfo("consumer_lag", "consumer_lag", (EVENTS,), "a change of how far a consumer group is behind a partition"),
    TableInfo("client_requests", "client_requests", (EVENTS,), "a kind of request of a Kafka client to a broker"),
    TableInfo("answers", "answers", (EVENTS, ANSWERS), "a prediction and whether it was right"),
    TableInfo("effort", "effort", (EVENTS, "runs", "answers"), "a run and the time that somebody spent on it"),
    TableInfo("verdicts", "verdicts", (EVENTS, READINGS), "a rule and what the checker says of it"),
)
TABLES: dict[str, TableInfo] = {item.name: item for item in _ALL}
"""By name, in the order in which they can be made."""
LEARNERS = "learners"
"""run, learner: whose run it is; what the tables of a class are made from besides those of its runs."""
_OF_CLASS = (
    TableInfo("class_questions", "class_questions", ("answers", "runs", LEARNERS), "an answer to a question"),
    TableInfo("class_misconceptions", "class_questions", ("answers", "runs", LEARNERS), "a wrong first answer"),
    TableInfo("class_effort", "class_learners", ("effort", LEARNERS), "a learner in a lesson"),
    TableInfo("class_breakage", "class_learners", ("faults", "verdicts", LEARNERS), "what a learner broke"),
)
CLASS_TABLES: dict[str, TableInfo] = {item.name: item for item in _OF_CLASS}
"""Over all runs of a class at once."""
