"""DescribeLogDirs: the one folder in which a broker keeps its logs. Source: KIP-113, KIP-827."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema import describe_log_dirs as schema
from cluster.model.identifiers import TopicPartition


def describe_log_dirs(request: Request, view: BrokerView) -> schema.DescribeLogDirsResponse:
    """Sizes of the logs that the client names, or of all; a log that is not here is left out, as in Kafka."""
    asked = request.message.topics
    named = {TopicPartition(topic.topic, index) for topic in asked or () for index in topic.partitions}
    found, topics = view.log_sizes(), dict[str, schema.DescribeLogDirsTopic]()
    for where, (size_bytes, lag) in sorted(found.logs.items()):
        if asked is None or where in named:
            topic = topics.setdefault(where.topic, schema.DescribeLogDirsTopic(where.topic))
            topic.partitions.append(schema.DescribeLogDirsPartition(where.partition, size_bytes, lag))
    result = schema.DescribeLogDirsResult(
        KafkaError.NONE, view.log_dir, list(topics.values()), found.total_bytes, found.usable_bytes
    )
    return schema.DescribeLogDirsResponse(results=[result])
