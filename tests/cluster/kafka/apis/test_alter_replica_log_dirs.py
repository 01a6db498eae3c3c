"""A broker has one folder of logs: nothing can be moved into another."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.alter_replica_log_dirs import (
    ALTER_REPLICA_LOG_DIRS,
    AlterReplicaLogDir,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirTopic,
)
from cluster.kafka.broker_view import BrokerView, LogSizes
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition
from tests.support.clients.client_world import ENDPOINTS, request_of, told

SIZES = LogSizes({TopicPartition("orders", 0): (90, 2), TopicPartition("orders", 1): (70, 0)})
VIEW = BrokerView(
    node_id=1,
    cluster_id="c1",
    controller_id=1,
    brokers=ENDPOINTS,
    partitions={},
    log_dir="/data/1",
    log_sizes=lambda: SIZES,
)


@pytest.mark.parametrize("version", ALTER_REPLICA_LOG_DIRS.versions)
def test_a_replica_stays_where_it_is_or_is_told_why(version: int) -> None:
    stays = AlterReplicaLogDir("/data/1", [AlterReplicaLogDirTopic("orders", [0, 7])])
    moves = AlterReplicaLogDir("/data/2", [AlterReplicaLogDirTopic(name, [1]) for name in ("orders", "nothing")])
    request = request_of(ALTER_REPLICA_LOG_DIRS, version, AlterReplicaLogDirsRequest([stays, moves]))
    response = told(request, request.api.begin(request, VIEW).response())
    found = {
        topic.topic_name: [(each.partition_index, each.error_code) for each in topic.partitions]
        for topic in response.results
    }
    lost = ErrorCode.LOG_DIR_NOT_FOUND
    assert found == {"orders": [(0, 0), (7, ErrorCode.REPLICA_NOT_AVAILABLE), (1, lost)], "nothing": [(1, lost)]}
