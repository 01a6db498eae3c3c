"""DescribeLogDirs: the one folder in which a broker keeps its logs. Source: KIP-113, KIP-827."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, int64, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import TopicPartition


@dataclass(slots=True)
class DescribableLogDirTopic:
    """Partitions of one topic."""

    topic: str = string()
    partitions: list[int] = array("int32")


@dataclass(slots=True)
class DescribeLogDirsRequest:
    """Tell me of these logs; null for all."""

    topics: list[DescribableLogDirTopic] | None = array(DescribableLogDirTopic, null="0+")


@dataclass(slots=True)
class DescribeLogDirsPartition:
    """One partition's log in a folder."""

    partition_index: int = int32()
    partition_size: int = int64()
    offset_lag: int = int64()
    is_future_key: bool = boolean()


@dataclass(slots=True)
class DescribeLogDirsTopic:
    """Logs of one topic."""

    name: str = string()
    partitions: list[DescribeLogDirsPartition] = array(DescribeLogDirsPartition)


@dataclass(slots=True)
class DescribeLogDirsResult:
    """One folder of logs of the broker."""

    error_code: int = int16()
    log_dir: str = string()
    topics: list[DescribeLogDirsTopic] = array(DescribeLogDirsTopic)
    total_bytes: int = int64("4+", default=-1)
    usable_bytes: int = int64("4+", default=-1)


@dataclass(slots=True)
class DescribeLogDirsResponse:
    """The folders of the answering broker."""

    throttle_time_ms: int = int32()
    error_code: int = int16("3+")
    results: list[DescribeLogDirsResult] = array(DescribeLogDirsResult)


def describe_log_dirs(request: Request, view: BrokerView) -> DescribeLogDirsResponse:
    """Sizes of the logs that the client names, or of all; a log that is not here is left out, as in Kafka."""
    asked = request.message.topics
    named = {TopicPartition(topic.topic, index) for topic in asked or () for index in topic.partitions}
    sizes, topics = view.log_sizes(), dict[str, DescribeLogDirsTopic]()
    for where, (size_bytes, lag) in sorted(sizes.logs.items()):
        if asked is None or where in named:
            topic = topics.setdefault(where.topic, DescribeLogDirsTopic(where.topic))
            topic.partitions.append(DescribeLogDirsPartition(where.partition, size_bytes, lag))
    result = DescribeLogDirsResult(
        ErrorCode.NONE, view.log_dir, list(topics.values()), sizes.total_bytes, sizes.usable_bytes
    )
    return DescribeLogDirsResponse(results=[result])


DESCRIBE_LOG_DIRS: Final = Api(
    35, DescribeLogDirsRequest, DescribeLogDirsResponse, Known.by(describe_log_dirs), versions="1-4", flexible="2+"
)
