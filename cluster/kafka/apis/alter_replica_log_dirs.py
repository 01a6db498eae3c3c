"""AlterReplicaLogDirs: a replica of the answering broker is to lie in another folder. It has one. Source: KIP-113."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition


@dataclass(slots=True)
class AlterReplicaLogDirTopic:
    """Partitions of one topic."""

    name: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class AlterReplicaLogDir:
    """What is to lie in one folder."""

    path: str = string()
    topics: list[AlterReplicaLogDirTopic] = array(AlterReplicaLogDirTopic)


@dataclass(slots=True)
class AlterReplicaLogDirsRequest:
    """Move replicas of the broker that is asked."""

    dirs: list[AlterReplicaLogDir] = array(AlterReplicaLogDir)


@dataclass(slots=True)
class AlterReplicaLogDirPartitionResult:
    """What became of one replica."""

    partition_index: int = int32()
    error_code: int = int16()


@dataclass(slots=True)
class AlterReplicaLogDirTopicResult:
    """What became of the replicas of one topic."""

    topic_name: str = string()
    partitions: list[AlterReplicaLogDirPartitionResult] = array(AlterReplicaLogDirPartitionResult)


@dataclass(slots=True)
class AlterReplicaLogDirsResponse:
    """What became of each."""

    throttle_time_ms: int = int32()
    results: list[AlterReplicaLogDirTopicResult] = array(AlterReplicaLogDirTopicResult)


def alter_replica_log_dirs(request: Request, view: BrokerView) -> AlterReplicaLogDirsResponse:
    """It may stay where it is; the broker has no other folder. Source: Kafka ReplicaManager.alterReplicaLogDirs."""
    here, topics = view.log_sizes().logs, dict[str, AlterReplicaLogDirTopicResult]()
    for folder in request.message.dirs:
        for topic in folder.topics:
            result = topics.setdefault(topic.name, AlterReplicaLogDirTopicResult(topic.name))
            for index in topic.partitions:
                if folder.path != view.log_dir:
                    error = ErrorCode.LOG_DIR_NOT_FOUND
                elif TopicPartition(topic.name, index) not in here:
                    error = ErrorCode.REPLICA_NOT_AVAILABLE
                else:
                    error = ErrorCode.NONE
                result.partitions.append(AlterReplicaLogDirPartitionResult(index, error))
    return AlterReplicaLogDirsResponse(results=list(topics.values()))


ALTER_REPLICA_LOG_DIRS: Final = Api(
    34,
    AlterReplicaLogDirsRequest,
    AlterReplicaLogDirsResponse,
    Known.by(alter_replica_log_dirs),
    versions="1-2",
    flexible="2+",
)
