"""Each consumer group: who was in it, how often it rebalanced, what was committed and what was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import MOMENT, picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

GROUPS_COLUMNS = (
    *("run", "group", "protocol", "assignor", "state", "generation", "members", "coordinators", "rebalances"),
    *("rebalancing_ms", "longest_rebalance_ms", "commits", "commits_refused", "requests_refused", "polled_records"),
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
    question = f"""
WITH told AS (
  SELECT *, {MOMENT} AS moment, CASE WHEN event = 'group.target_assigned' THEN assignor
    WHEN event IN ('group.assigned', 'group.generation_began') THEN protocol END AS how
  FROM {picked(*_TOLD)}),
counted AS (
  SELECT run, `group`, IF(max(event IN {_NEWER}), 'consumer', 'classic') AS protocol,
    max_by(how, IF(how IS NULL, NULL, moment)) AS assignor,
    max_by(state, IF(event = 'group.state_changed', moment, NULL)) AS state,
    max(coalesce(group_epoch, IF(endswith(event, '_refused'), NULL, generation))) AS generation,
    count(DISTINCT node) AS coordinators, count_if(event = 'group.offsets_committed') AS commits,
    count_if(event = 'group.commit_refused') AS commits_refused,
    count_if(event = 'group.request_refused') AS requests_refused
  FROM told GROUP BY run, `group`),
turned AS (
  SELECT run, `group`, count(*) AS times, sum(duration_ms) AS total_ms, max(duration_ms) AS longest_ms
  FROM rebalances GROUP BY run, `group`),
given AS (SELECT run, `group`, count(DISTINCT member_id) AS members FROM member_epochs GROUP BY run, `group`),
polled AS (SELECT run, `group`, sum(count) AS records FROM {picked("consumer.polled")} GROUP BY run, `group`)
SELECT *EXCEPT (members), coalesce(members, 0L) AS members, coalesce(times, 0L) AS rebalances,
  coalesce(total_ms, 0D) AS rebalancing_ms, coalesce(longest_ms, 0D) AS longest_rebalance_ms,
  coalesce(records, 0L) AS polled_records
FROM counted LEFT JOIN turned USING (run, `group`) LEFT JOIN given USING (run, `group`)
  LEFT JOIN polled USING (run, `group`)"""
    return shown(GROUPS_COLUMNS, question, events=events, rebalances=rebalances, member_epochs=member_epochs)
