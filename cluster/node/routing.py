"""Which part of a node an input is for. Source: Kafka ApiKeys listeners, SharedServer."""

from __future__ import annotations

from enum import Enum

from cluster.model.identifiers import FIRST_TRANSACTION_CORRELATION, METADATA
from cluster.model.inputs import FetchAbandoned, Flushed, Input, Received, TimerFired, WallClockRead
from cluster.model.messages import (
    AddOffsetsToTxnRequest,
    AddPartitionsToTxnRequest,
    AddPartitionsToTxnResponse,
    AddRaftVoterRequest,
    AddRaftVoterResponse,
    AllocateProducerIdsRequest,
    AllocateProducerIdsResponse,
    AlterConfigsRequest,
    AlterPartitionRequest,
    AlterPartitionResponse,
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    BrokerHeartbeatRequest,
    BrokerHeartbeatResponse,
    BrokerRegistrationRequest,
    BrokerRegistrationResponse,
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest,
    CreatePartitionsRequest,
    CreateTopicRequest,
    CreateTopicResponse,
    DeleteGroupsRequest,
    DeleteRecordsRequest,
    DeleteTopicRequest,
    DescribeConfigsRequest,
    DescribeGroupsRequest,
    DescribeProducersRequest,
    DescribeQuorumRequest,
    DescribeTransactionsRequest,
    ElectLeadersRequest,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
    EndTxnRequest,
    FetchRequest,
    FetchResponse,
    FetchSnapshotRequest,
    FetchSnapshotResponse,
    FindCoordinatorRequest,
    HeartbeatRequest,
    InitProducerIdRequest,
    InitProducerIdResponse,
    JoinGroupRequest,
    LeaveGroupRequest,
    ListGroupsRequest,
    ListOffsetsRequest,
    ListTransactionsRequest,
    Message,
    MetadataRequest,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
    OffsetForLeaderEpochRequest,
    OffsetForLeaderEpochResponse,
    OffsetsDecided,
    ProduceRequest,
    ProduceResponse,
    ReassignPartitionRequest,
    RemoveRaftVoterRequest,
    RemoveRaftVoterResponse,
    ReportLogEndRequest,
    ReportLogEndResponse,
    SessionFetchRequest,
    SessionFetchResponse,
    SyncGroupRequest,
    TxnOffsetCommitRequest,
    VoteRequest,
    VoteResponse,
    WriteTxnMarkersRequest,
    WriteTxnMarkersResponse,
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
    PRODUCER_IDS = 7
    GROUPS = 8
    TRANSACTIONS = 9


_PARTS: dict[type, Part] = {
    **dict.fromkeys((VoteRequest, VoteResponse, BeginQuorumEpochRequest, BeginQuorumEpochResponse), Part.QUORUM),
    **dict.fromkeys((EndQuorumEpochRequest, EndQuorumEpochResponse, DescribeQuorumRequest), Part.QUORUM),
    **dict.fromkeys((FetchSnapshotRequest, FetchSnapshotResponse), Part.QUORUM),
    **dict.fromkeys((AddRaftVoterRequest, RemoveRaftVoterRequest), Part.QUORUM),
    **dict.fromkeys((AddRaftVoterResponse, RemoveRaftVoterResponse), Part.QUORUM),
    **dict.fromkeys((BrokerRegistrationResponse, BrokerHeartbeatResponse), Part.LIFECYCLE),
    **dict.fromkeys((ProduceRequest, AlterPartitionResponse, DescribeProducersRequest), Part.REPLICAS),
    **dict.fromkeys((DeleteRecordsRequest, ReportLogEndResponse), Part.REPLICAS),
    **dict.fromkeys((SessionFetchRequest, SessionFetchResponse), Part.REPLICAS),
    **dict.fromkeys((OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse, ListOffsetsRequest), Part.REPLICAS),
    **dict.fromkeys((BrokerRegistrationRequest, BrokerHeartbeatRequest, AlterPartitionRequest), Part.CONTROLLER),
    **dict.fromkeys((CreateTopicRequest, ElectLeadersRequest, AllocateProducerIdsRequest), Part.CONTROLLER),
    ReportLogEndRequest: Part.CONTROLLER,
    **dict.fromkeys((CreatePartitionsRequest, AlterConfigsRequest, DeleteTopicRequest), Part.CONTROLLER),
    ReassignPartitionRequest: Part.CONTROLLER,
    AllocateProducerIdsResponse: Part.PRODUCER_IDS,
    **dict.fromkeys((FindCoordinatorRequest, CreateTopicResponse, OffsetsDecided, TxnOffsetCommitRequest), Part.GROUPS),
    **dict.fromkeys((JoinGroupRequest, SyncGroupRequest, HeartbeatRequest, LeaveGroupRequest), Part.GROUPS),
    **dict.fromkeys((OffsetCommitRequest, OffsetFetchRequest, OffsetDeleteRequest), Part.GROUPS),
    **dict.fromkeys((DescribeGroupsRequest, ListGroupsRequest, DeleteGroupsRequest), Part.GROUPS),
    **dict.fromkeys((ConsumerGroupHeartbeatRequest, ConsumerGroupDescribeRequest), Part.GROUPS),
    **dict.fromkeys((AddPartitionsToTxnRequest, AddOffsetsToTxnRequest, EndTxnRequest), Part.TRANSACTIONS),
    **dict.fromkeys((InitProducerIdResponse, WriteTxnMarkersResponse), Part.TRANSACTIONS),
    **dict.fromkeys((DescribeTransactionsRequest, ListTransactionsRequest), Part.TRANSACTIONS),
    **dict.fromkeys((WriteTxnMarkersRequest, AddPartitionsToTxnResponse), Part.REPLICAS),
    **dict.fromkeys((MetadataRequest, DescribeConfigsRequest), Part.NODE),
}
_TIMERS = {
    "quorum": Part.QUORUM,
    "controller": Part.CONTROLLER,
    "broker": Part.LIFECYCLE,
    "replica": Part.REPLICAS,
    "producer_ids": Part.PRODUCER_IDS,
    "groups": Part.GROUPS,
    "transactions": Part.TRANSACTIONS,
}


def part_for(happened: Input) -> Part | None:
    """The one part that an input is for; None for what concerns several."""
    if type(happened) is Received:
        return part_for_message(happened.message, happened.correlation)
    if type(happened) is TimerFired:
        return part_for_timer(happened.name)
    if type(happened) is FetchAbandoned or type(happened) is WallClockRead:
        return Part.REPLICAS
    if type(happened) is Flushed:
        return Part.QUORUM if happened.topic_partition == METADATA else Part.REPLICAS
    return None


def part_for_message(message: Message, correlation: int) -> Part:
    """Requests go by kind and topic; a fetch response by the machine that chose its correlation."""
    if type(message) is FetchRequest:
        is_metadata = message.topic == METADATA.topic and message.partition == METADATA.partition
        return Part.QUORUM if is_metadata else Part.REPLICAS
    if type(message) is FetchResponse:
        return Part.QUORUM if correlation % CORRELATION_STEP == 0 else Part.REPLICAS
    if type(message) is ProduceResponse:
        return Part.TRANSACTIONS if correlation >= FIRST_TRANSACTION_CORRELATION else Part.GROUPS
    if type(message) is InitProducerIdRequest:
        return Part.PRODUCER_IDS if message.transactional_id is None else Part.TRANSACTIONS
    return _PARTS.get(type(message), Part.NOBODY)


def part_for_timer(name: str) -> Part:
    """By the prefix of its name."""
    return _TIMERS.get(name.partition(".")[0], Part.NOBODY)
