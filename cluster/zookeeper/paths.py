"""Kafka's znodes: their paths, and what stands in them, as JSON. Source: Kafka ZkData."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from cluster.model.identifiers import Epoch, NodeId, TopicPartition
from cluster.model.partition_state import PartitionState
from cluster.model.topic_settings import COMMIT_RULE, MAJORITY, why_not

CONTROLLER = "/controller"
CONTROLLER_EPOCH = "/controller_epoch"
BROKER_IDS = "/brokers/ids"
TOPICS = "/brokers/topics"
DELETE_TOPICS = "/admin/delete_topics"
ISR_CHANGES = "/isr_change_notification"
ISR_CHANGE_PREFIX = f"{ISR_CHANGES}/isr_change_"
TOPIC_CONFIGS = "/config/topics"
PRODUCER_IDS = "/latest_producer_id_block"
PERSISTENT = (BROKER_IDS, TOPICS, DELETE_TOPICS, ISR_CHANGES, TOPIC_CONFIGS)
"""Made by whoever starts first. Source: KafkaZkClient.createTopLevelPaths."""


class BadData(Exception):
    """A znode holds what Kafka would not have written there. One clause says what."""


def broker_path(broker_id: NodeId) -> str:
    """Of a broker's ephemeral znode."""
    return f"{BROKER_IDS}/{broker_id}"


def topic_path(topic: str) -> str:
    """Of the assignment of a topic."""
    return f"{TOPICS}/{topic}"


def partition_path(where: TopicPartition) -> str:
    """Above the state of a partition."""
    return f"{TOPICS}/{where.topic}/partitions/{where.partition}"


def state_path(where: TopicPartition) -> str:
    """Of leader and ISR of a partition."""
    return f"{partition_path(where)}/state"


def config_path(topic: str) -> str:
    """Of a topic's own settings."""
    return f"{TOPIC_CONFIGS}/{topic}"


def encode(values: Mapping[str, Any]) -> str:
    """JSON without spaces, as Kafka writes it."""
    return json.dumps(values, separators=(",", ":"))


def decode(data: str, *needed: str) -> dict[str, Any]:
    """The object that a znode holds. BadData when it is none, or lacks what is needed."""
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise BadData("it holds no JSON") from error
    if not isinstance(fields, dict) or any(name not in fields for name in needed):
        raise BadData(f"it lacks {', '.join(needed)}")
    return fields


def encode_controller(broker_id: NodeId) -> str:
    """What /controller holds."""
    return encode({"version": 1, "brokerid": broker_id})


def decode_controller(data: str) -> NodeId:
    """Who the controller is. BadData."""
    return _number(decode(data, "brokerid")["brokerid"], "brokerid")


def encode_broker(incarnation_id: str) -> str:
    """What a broker's znode holds; endpoints are known to all here."""
    return encode({"version": 4, "incarnation": incarnation_id})


def encode_assignment(partitions: Mapping[int, tuple[NodeId, ...]]) -> str:
    """What a topic's znode holds."""
    return encode({"version": 2, "partitions": {str(index): list(nodes) for index, nodes in partitions.items()}})


def decode_assignment(data: str) -> dict[int, tuple[NodeId, ...]]:
    """Replicas of each partition. BadData."""
    partitions = decode(data, "partitions")["partitions"]
    if not isinstance(partitions, dict) or not partitions:
        raise BadData("it assigns no partitions")
    assignment = {
        int(index): _nodes(nodes) for index, nodes in partitions.items() if index.isdecimal() and len(index) < 5
    }
    if sorted(assignment) != list(range(len(partitions))) or not all(assignment.values()):
        raise BadData("its partitions are not numbered from 0, or have no replicas")
    return assignment


def encode_state(state: PartitionState, controller_epoch: Epoch) -> str:
    """What the state znode of a partition holds. Source: TopicPartitionStateZNode."""
    return encode(
        {
            "controller_epoch": controller_epoch,
            "leader": state.leader,
            "version": 1,
            "leader_epoch": state.leader_epoch,
            "isr": list(state.isr),
        }
    )


def decode_state(data: str, version: int, before: PartitionState) -> tuple[PartitionState, Epoch]:
    """The state of a partition, whose topic and replicas are known, and who wrote it last. BadData."""
    fields = decode(data, "leader", "leader_epoch", "isr", "controller_epoch")
    state = replace(
        before,
        leader=_number(fields["leader"], "leader"),
        leader_epoch=_number(fields["leader_epoch"], "leader_epoch"),
        isr=_nodes(fields["isr"]),
        partition_epoch=version,
    )
    return state, _number(fields["controller_epoch"], "controller_epoch")


def encode_configs(own: Mapping[str, str]) -> str:
    """What the znode of a topic's settings holds."""
    return encode({"version": 1, "config": dict(own)})


def decode_configs(data: str) -> dict[str, str]:
    """Settings by Kafka's names. BadData."""
    configs = decode(data, "config")["config"]
    if not isinstance(configs, dict) or not all(isinstance(value, str) for value in configs.values()):
        raise BadData("its settings are no texts")
    if reason := why_not(configs):
        raise BadData(reason)
    if configs.get(COMMIT_RULE) == MAJORITY:
        raise BadData(f"{COMMIT_RULE} {MAJORITY}")
    return configs


def encode_partitions(partitions: list[TopicPartition]) -> str:
    """What a notification of ISR changes holds."""
    return encode({"version": 1, "partitions": [list(where) for where in partitions]})


def decode_partitions(data: str) -> list[TopicPartition]:
    """Which partitions it speaks of; others are left out. BadData."""
    partitions = decode(data, "partitions")["partitions"]
    pairs = (
        [item for item in partitions if isinstance(item, list) and len(item) == 2]
        if isinstance(partitions, list)
        else []
    )
    return [TopicPartition(str(topic), _number(partition, "partition")) for topic, partition in pairs]


def _number(value: object, name: str) -> int:
    if type(value) is not int:
        raise BadData(f"its {name} is no number")
    return value


def _nodes(value: object) -> tuple[NodeId, ...]:
    if not isinstance(value, list) or not all(type(node) is int for node in value):
        raise BadData("its brokers are no list of numbers")
    return tuple(value)
