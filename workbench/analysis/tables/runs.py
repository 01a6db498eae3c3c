"""One row for each recorded run, and whether its traces can be believed whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import OBSERVED, field, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RUNS_COLUMNS = (
    *("run", "title", "world", "started", "observed_ms", "is_complete", "has_ended", "event_count", "file_count"),
    *("node_count", "fault_count", "torn_bytes", "unknown_count", "bad_files", "incarnations"),
)
SCRIPT_COLUMNS = ("run", "t_ms", "what", "text", "held", "seen", "answer", "right_answer")
_NAMED = {
    "run.started": ("title", "world"),
    "proc.started": ("node_id", "incarnation_number"),
    "fault.injected": ("fault_id",),
}


def runs(events: DataFrame, readings: DataFrame) -> DataFrame:
    """One row per run. readings are the trace.read rows: one for each time that a file was read.

    is_complete is false when a file could not be read to its end; bad_files names it, the byte and why. started is the
    wall clock of the first event, in UTC. has_ended: the lab said the end; false for a run that goes on or broke off.
    The newest reading of each file tells of its tail; all of them tell how many events were unknown.
    """
    named = ", ".join(f"{field(event, name)} AS {name}" for event, names in _NAMED.items() for name in names)
    question = f"""
WITH told AS (SELECT run, event, wall_ns, {named} FROM events),
counted AS (
  SELECT run, max(title) AS title, max(world) AS world,
    timestamp_micros(CAST(min(floor(wall_ns / 1000)) AS bigint)) AS started,
    max(event = 'run.ended') AS has_ended, count(*) AS event_count,
    CAST(size(collect_set(node_id)) AS bigint) AS node_count,
    CAST(size(collect_set(IF(event = 'proc.started', struct(node_id, incarnation_number), NULL))) AS bigint)
      AS incarnations,
    CAST(size(collect_set(fault_id)) AS bigint) AS fault_count
  FROM told GROUP BY run),
files AS (
  SELECT run, file, max_by(torn_bytes, to_byte) AS torn_bytes, sum(unknown_count) AS unknown_count,
    max(IF(bad_byte IS NULL, NULL, concat_ws(' ', file, 'byte', bad_byte, bad_why))) AS bad
  FROM readings GROUP BY run, file),
of_files AS (
  SELECT run, count(*) AS file_count, sum(torn_bytes) AS torn_bytes, sum(unknown_count) AS unknown_count,
    sort_array(collect_list(bad)) AS bad_files
  FROM files GROUP BY run)
SELECT *, size(bad_files) = 0 AS is_complete
FROM counted LEFT JOIN of_files USING (run) LEFT JOIN ({OBSERVED}) USING (run)"""
    return shown(RUNS_COLUMNS, question, events=events, readings=readings)


def script(events: DataFrame) -> DataFrame:
    """What a lesson or script did: one row per step, check and answer, in order of time."""
    events_picked = picked("lesson.step", "lesson.checked", "lesson.answered")
    question = (
        f"SELECT * EXCEPT (text), substr(event, 8) AS what, coalesce(text, question) AS text FROM {events_picked}"
    )
    return shown(SCRIPT_COLUMNS, question, events=events)
