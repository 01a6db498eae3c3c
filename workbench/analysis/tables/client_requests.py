"""What each Kafka client asked of each broker, and what is known of what it got."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cluster.model.errors import ErrorCode
from workbench.analysis.tables.common import picked, shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CLIENT_REQUESTS_COLUMNS = (
    *("run", "client_id", "software", "node", "api", "versions", "connections", "requests", "size_bytes", "about"),
    *("first_ms", "last_ms", "records", "errors", "error_count", "lost_count"),
)
KEY = "run, client_id, node, api"
_NAMES = ", ".join(f"{code.value}, '{code.name}'" for code in ErrorCode)


def client_requests(events: DataFrame) -> DataFrame:
    """One row per client id, broker and kind of request, of Kafka clients alone; times are ms of the run.

    about names some of the partitions, topics or groups that were asked for. Of many requests of one kind a broker
    tells some, with their number: those after the last that was told are not counted. records are those of Produce that
    were acknowledged. errors names the refusals of Produce, of offsets and of requests of group members, error_count
    counts them; what other requests got no event tells. lost_count counts answers that a fault took on their way.
    """
    question = f"""
WITH named AS (
  SELECT DISTINCT run, node, incarnation, connection_id, client_id FROM {picked("client.requested")}),
asked AS (
  SELECT {KEY}, sort_array(collect_set(version)) AS versions, sum(count) AS requests, sum(size_bytes) AS size_bytes,
    count(DISTINCT struct(incarnation, connection_id)) AS connections, min(t_ms) AS first_ms, max(t_ms) AS last_ms,
    sort_array(array_distinct(flatten(collect_list(about)))) AS about
  FROM {picked("client.requested")} GROUP BY {KEY}),
software AS (
  SELECT run, client_id, max_by(concat_ws(' ', software, software_version), t_ns) AS software
  FROM {picked("client.connected")} WHERE software <> '' GROUP BY run, client_id),
got AS (
  SELECT run, client_id, node, 'Produce' AS api, IF(error = 0, count, 0L) AS records, error, 0L AS lost
  FROM {picked("produce.answered")} WHERE kafka_client
  UNION ALL
  SELECT run, client_id, node, 'Produce', 0L, error, 0L FROM {picked("produce.refused")}
  UNION ALL
  SELECT run, client_id, node, 'Produce', 0L, 0L, 1L FROM {picked("client.response_lost")}
  UNION ALL
  SELECT run, client_id, node, told.asked[0], 0L, error, 0L FROM (
    SELECT *, regexp_extract_all(`trigger`, '[A-Za-z]+|[0-9]+', 0) AS asked
    FROM {picked("group.request_refused", "group.commit_refused")} WHERE `trigger` RLIKE '^[A-Za-z]+ of client [0-9]+$'
  ) told JOIN named USING (run, node, incarnation) WHERE connection_id = CAST(told.asked[3] AS bigint)),
counted AS (
  SELECT {KEY}, sum(records) AS records, count_if(error <> 0) AS error_count, sum(lost) AS lost_count,
    sort_array(collect_set(coalesce(map({_NAMES})[CAST(nullif(error, 0L) AS int)], CAST(nullif(error, 0L) AS string))))
      AS errors
  FROM got GROUP BY {KEY})
SELECT asked.*, software, IF(api = 'Produce', coalesce(records, 0L), NULL) AS records,
  coalesce(errors, CAST(array() AS array<string>)) AS errors, coalesce(error_count, 0L) AS error_count,
  coalesce(lost_count, 0L) AS lost_count
FROM asked LEFT JOIN software USING (run, client_id) LEFT JOIN counted USING ({KEY})"""
    return shown(CLIENT_REQUESTS_COLUMNS, question, events=events)
