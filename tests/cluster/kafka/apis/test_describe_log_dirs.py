"""Where logs lie and how large they are."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.describe_log_dirs import DESCRIBE_LOG_DIRS, DescribableLogDirTopic, DescribeLogDirsRequest
from cluster.kafka.broker_view import BrokerView, LogSizes
from cluster.model.identifiers import TopicPartition
from tests.support.clients.client_world import ENDPOINTS, request_of, told

SIZES = LogSizes({TopicPartition("orders", 1): (70, 0), TopicPartition("orders", 0): (90, 2)}, 1_000, 400)
VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={},
    log_dir="/data/1",
    log_sizes=lambda: SIZES,
)


@pytest.mark.parametrize("version", DESCRIBE_LOG_DIRS.versions)
@pytest.mark.parametrize(
    ("asked", "found"),
    [(None, [(0, 90, 2), (1, 70, 0)]), ([("orders", [1, 7]), ("nothing", [0])], [(1, 70, 0)]), ([], [])],
)
def test_logs_are_told_with_size_and_lag(
    version: int, asked: list[tuple[str, list[int]]] | None, found: list[tuple[int, int, int]]
) -> None:
    topics = None if asked is None else [DescribableLogDirTopic(*each) for each in asked]
    request = request_of(DESCRIBE_LOG_DIRS, version, DescribeLogDirsRequest(topics))
    response = told(request, request.api.begin(request, VIEW).response())
    (folder,) = response.results
    assert (folder.error_code, folder.log_dir) == (0, "/data/1")
    partitions = [each for topic in folder.topics for each in topic.partitions]
    assert [(each.partition_index, each.partition_size, each.offset_lag) for each in partitions] == found
    assert (folder.total_bytes, folder.usable_bytes) == ((1_000, 400) if version >= 4 else (-1, -1))
