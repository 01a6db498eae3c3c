"""The kafka profile has the defaults of Kafka 4, and each setting names the configuration it stands for."""

from __future__ import annotations

import ast
import inspect

import pytest

from cluster.model import settings as module
from cluster.model.settings import kafka_timing

DEFAULTS = {
    "quorum_election_timeout_ms": ("controller.quorum.election.timeout.ms", 1000),
    "quorum_fetch_timeout_ms": ("controller.quorum.fetch.timeout.ms", 2000),
    "quorum_election_backoff_max_ms": ("controller.quorum.election.backoff.max.ms", 1000),
    "quorum_request_timeout_ms": ("controller.quorum.request.timeout.ms", 2000),
    "quorum_retry_backoff_ms": ("controller.quorum.retry.backoff.ms", 20),
    "metadata_max_idle_interval_ms": ("metadata.max.idle.interval.ms", 500),
    "broker_heartbeat_interval_ms": ("broker.heartbeat.interval.ms", 2000),
    "broker_session_timeout_ms": ("broker.session.timeout.ms", 9000),
    "replica_lag_time_max_ms": ("replica.lag.time.max.ms", 30_000),
    "replica_fetch_wait_max_ms": ("replica.fetch.wait.max.ms", 500),
    "replica_fetch_backoff_ms": ("replica.fetch.backoff.ms", 1000),
    "request_timeout_ms": ("request.timeout.ms", 30_000),
    "retry_backoff_ms": ("retry.backoff.ms", 100),
    "high_watermark_checkpoint_interval_ms": ("replica.high.watermark.checkpoint.interval.ms", 5000),
    "leader_imbalance_check_interval_ms": ("leader.imbalance.check.interval.seconds", 300_000),
    "unclean_leader_election": ("unclean.leader.election.enable", False),
    "fetch_max_bytes": ("replica.fetch.max.bytes", 1_048_576),
    "max_message_bytes": ("max.message.bytes", 1_048_588),
    "offsets_topic_partitions": ("offsets.topic.num.partitions", 50),
    "offsets_topic_replicas": ("offsets.topic.replication.factor", 3),
    "offsets_topic_min_isr": ("min.insync.replicas", 1),
    "offsets_commit_timeout_ms": ("offsets.commit.timeout.ms", 5000),
    "offsets_retention_ms": ("offsets.retention.minutes", 10_080 * 60_000),
    "offsets_retention_check_interval_ms": ("offsets.retention.check.interval.ms", 600_000),
    "offset_metadata_max_bytes": ("offset.metadata.max.bytes", 4096),
    "group_min_session_timeout_ms": ("group.min.session.timeout.ms", 6000),
    "group_max_session_timeout_ms": ("group.max.session.timeout.ms", 1_800_000),
    "group_initial_rebalance_delay_ms": ("group.initial.rebalance.delay.ms", 3000),
    "consumer_group_session_timeout_ms": ("group.consumer.session.timeout.ms", 45_000),
    "consumer_group_heartbeat_interval_ms": ("group.consumer.heartbeat.interval.ms", 5000),
    "consumer_group_max_size": ("group.consumer.max.size", 2**31 - 1),
    "consumer_session_timeout_ms": ("session.timeout.ms", 45_000),
    "consumer_heartbeat_interval_ms": ("heartbeat.interval.ms", 3000),
    "consumer_rebalance_timeout_ms": ("max.poll.interval.ms", 300_000),
    "consumer_auto_commit_interval_ms": ("auto.commit.interval.ms", 5000),
    "auto_create_topics": ("auto.create.topics.enable", True),
}
"""Setting to Kafka's name and default. Source: Kafka 4, QuorumConfig, KRaftConfigs, ReplicationConfigs,
GroupCoordinatorConfig, ProducerConfig, ConsumerConfig."""


def told() -> dict[str, str]:
    """Setting to the sentence below it."""
    body = next(node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.ClassDef)).body
    found = {}
    for field, text in zip(body, body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr):
            found[field.target.id] = str(ast.literal_eval(text.value))
    return found


@pytest.mark.parametrize("setting", DEFAULTS)
def test_the_kafka_profile_has_kafkas_default_under_kafkas_name(setting: str) -> None:
    name, default = DEFAULTS[setting]
    assert getattr(kafka_timing(), setting) == default
    assert name in told()[setting]
