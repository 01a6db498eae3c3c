"""Which part of a node an input is for. Source: Kafka ApiKeys listeners, SharedServer."""

from __future__ import annotations

from enum import Enum

from cluster.model.identifiers import METADATA
from cluster.model.messages import (
    AlterPartitionRequest,
    AlterPartitionResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    CreateTopicRequest,
    ElectLeadersRequest,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    FetchRequest,
    FetchResponse,
    Message,
    MetadataRequest,
    ProduceRequest,
    VoteRequest,
    VoteResponse,
)

CORRELATION_STEP = 4


class Part(Enum):
    """A machine of the node, or the node itself; the value is the remainder of its correlations."""

    QUORUM = 0
    LIFECYCLE = 1
    REPLICAS = 2
    CONTROLLER = 4
    NODE = 5
    NOBODY = 6


def part_for_message(message: Message, correlation: int) -> Part:
    """Requests go by kind and topic; a fetch response by the machine that chose its correlation."""
    match message:
        case VoteRequest() | VoteResponse() | BeginQuorumEpochRequest() | BeginQuorumEpochResponse():
            return Part.QUORUM
        case EndQuorumEpochRequest() | EndQuorumEpochResponse():
            return Part.QUORUM
        case FetchRequest(topic=topic, partition=partition):
            return Part.QUORUM if (topic, partition) == METADATA else Part.REPLICAS
        case FetchResponse():
            return Part.QUORUM if correlation % CORRELATION_STEP == Part.QUORUM.value else Part.REPLICAS
        case BrokerRegistrationResponse() | BrokerHeartbeatResponse():
            return Part.LIFECYCLE
        case ProduceRequest() | AlterPartitionResponse():
            return Part.REPLICAS
        case BrokerRegistrationRequest() | BrokerHeartbeatRequest() | AlterPartitionRequest():
            return Part.CONTROLLER
        case CreateTopicRequest() | ElectLeadersRequest():
            return Part.CONTROLLER
        case MetadataRequest():
            return Part.NODE
        case _:
            return Part.NOBODY


def part_for_timer(name: str) -> Part:
    """By the prefix of its name."""
    match name.partition(".")[0]:
        case "quorum":
            return Part.QUORUM
        case "controller":
            return Part.CONTROLLER
        case "broker":
            return Part.LIFECYCLE
        case "replica":
            return Part.REPLICAS
        case _:
            return Part.NOBODY
