"""A stream of events as two things at once: how its readings went, and how each partition stands after them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

from workbench.analysis.reading.columns import READ_EVENT, READING
from workbench.analysis.reading.standing import KINDS, NEEDED, Standing, standing_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame
    from pyspark.sql.streaming.state import GroupState

Frame: TypeAlias = Any
"""A data frame of pandas, which comes without types."""
ROW_DDL = "run string, topic string, partition bigint, told string"
"""told is JSON: a row that tells of a reading when topic is empty, else how the partition stands."""
STATE_DDL = "text string"
NO_TOPIC, NO_PARTITION = "", -1


def with_state(rows: DataFrame) -> DataFrame:
    """ROW_DDL: each reading of a micro-batch, and each partition of which it told something, with all before it.

    Spark keeps the standing of each partition; where it is kept counts, so the query's checkpoint must live as long.
    """
    from pyspark.sql import functions as F  # noqa: N812

    is_reading = F.col("event") == READ_EVENT
    columns = dict.fromkeys(("run", "file", "event", "node", "incarnation", *READING, *NEEDED))
    # Numbers with nulls among them would become floating point on their way to pandas.
    told = F.to_json(F.struct(*columns), {"ignoreNullFields": "false"})
    keyed = rows.where(is_reading | F.col("event").isin(*KINDS)).select(
        "run",
        F.when(is_reading, NO_TOPIC).otherwise(F.col("topic")).alias("topic"),
        F.when(is_reading, NO_PARTITION).otherwise(F.col("partition")).cast("bigint").alias("partition"),
        told.alias("told"),
    )
    grouped = keyed.groupBy("run", "topic", "partition")
    return grouped.applyInPandasWithState(keep_standing, ROW_DDL, STATE_DDL, "update", "NoTimeout")


def keep_standing(key: tuple[Any, ...], frames: Iterator[Frame], state: GroupState) -> Iterator[Frame]:
    """What an executor does for one partition in one micro-batch; readings, which have no partition, go through."""
    import pandas as pd  # type: ignore[import-untyped]  # it comes without types

    run, topic, partition = str(key[0]), str(key[1]), int(key[2])
    if topic == NO_TOPIC:
        for frame in frames:
            yield frame[["run", "topic", "partition", "told"]]
        return
    standing = standing_of(*state.get) if state.exists else Standing()
    for frame in frames:
        for text in frame["told"]:
            told = json.loads(text)
            standing.take(told["event"], told["node"], told)
    state.update((standing.text(),))
    yield pd.DataFrame({"run": [run], "topic": [topic], "partition": [partition], "told": [standing.text()]})


def stored_standings(events: DataFrame) -> dict[tuple[str, str, int], Standing]:
    """How the partitions stand by events that were read before the stream begins."""
    found: dict[tuple[str, str, int], Standing] = {}
    wanted = events.where(events["event"].isin(*KINDS)).select("run", "topic", "partition", "event", "node", *NEEDED)
    for row in wanted.toLocalIterator():
        standing = found.setdefault((row["run"], row["topic"], row["partition"]), Standing())
        standing.take(row["event"], row["node"], row.asDict())
    return found
