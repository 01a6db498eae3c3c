"""Each consumer group: who was in it, how often it rebalanced, what was committed and what was refused."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F  # noqa: N812

from workbench.analysis.tables.common import moment, of

GROUP = ["run", "group"]
GROUPS_COLUMNS = (
    *GROUP,
    "protocol",
    "assignor",
    "state",
    "generation",
    "members",
    "coordinators",
    "rebalances",
    "rebalancing_ms",
    "longest_rebalance_ms",
    "commits",
    "commits_refused",
    "requests_refused",
    "polled_records",
)
_NEWER = ("group.consumer_loaded", "group.target_assigned", "group.member_reconciled")
_TOLD = (
    *("group.member_joined", "group.member_left", "group.state_changed", "group.generation_began", "group.assigned"),
    *("group.request_refused", "group.offsets_committed", "group.commit_refused", *_NEWER),
)


def groups(events: DataFrame, rebalances: DataFrame, member_epochs: DataFrame) -> DataFrame:
    """One row per group that a coordinator told anything of.

    protocol: classic or consumer (KIP-848). assignor, state and generation (a group epoch in the newer protocol) are
    the last ones told. members counts all that ever were given an assignment, coordinators the nodes that served the
    group. rebalancing_ms is the sum of its rebalances, longest_rebalance_ms the longest; 0 without any. commits counts
    successful commits, and requests_refused what was refused besides commits. polled_records is what built-in consumers
    of the group polled.
    """
    name = F.col("event")
    told = of(events, *_TOLD).withColumn("_at", moment())
    how = F.when(name == "group.target_assigned", F.col("assignor"))
    how = F.coalesce(how, F.when(name.isin("group.assigned", "group.generation_began"), F.col("protocol")))
    number = F.coalesce(F.col("group_epoch"), F.when(~name.endswith("_refused"), F.col("generation")))
    counted = told.groupBy(*GROUP).agg(
        F.when(F.max(name.isin(*_NEWER)), "consumer").otherwise("classic").alias("protocol"),
        F.max_by(how, F.when(how.isNotNull(), F.col("_at"))).alias("assignor"),
        F.max_by("state", F.when(name == "group.state_changed", F.col("_at"))).alias("state"),
        F.max(number).alias("generation"),
        F.count_distinct("node").alias("coordinators"),
        F.count(F.when(name == "group.offsets_committed", 1)).alias("commits"),
        F.count(F.when(name == "group.commit_refused", 1)).alias("commits_refused"),
        F.count(F.when(name == "group.request_refused", 1)).alias("requests_refused"),
    )
    turned = rebalances.groupBy(*GROUP).agg(
        F.count("*").alias("rebalances"),
        F.sum("duration_ms").alias("rebalancing_ms"),
        F.max("duration_ms").alias("longest_rebalance_ms"),
    )
    given = member_epochs.groupBy(*GROUP).agg(F.count_distinct("member_id").alias("members"))
    polled = of(events, "consumer.polled").groupBy(*GROUP).agg(F.sum("count").alias("polled_records"))
    joined = counted
    for part in (turned, given, polled):
        joined = joined.join(part, on=GROUP, how="left")
    counts = ["rebalances", "rebalancing_ms", "longest_rebalance_ms", "members", "polled_records"]
    return joined.fillna(0, counts).select(*GROUPS_COLUMNS)
