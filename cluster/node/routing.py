"""Which part of a node an input is for. Source: Kafka ApiKeys listeners, SharedServer."""

from __future__ import annotations

from enum import Enum

from cluster.model import messages as core
from cluster.model.identifiers import FIRST_TRANSACTION_CORRELATION, METADATA
from cluster.model.inputs import FetchAbandoned, Flushed, Input, Received, TimerFired, WallClockRead
from cluster.model.messages import FetchRequest, FetchResponse, InitProducerIdRequest, ProduceResponse

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


_TAKES: dict[Part, tuple[type, ...]] = {
    Part.QUORUM: (
        *(core.VoteRequest, core.VoteResponse, core.BeginQuorumEpochRequest, core.BeginQuorumEpochResponse),
        *(core.EndQuorumEpochRequest, core.EndQuorumEpochResponse, core.DescribeQuorumRequest),
        *(core.FetchSnapshotRequest, core.FetchSnapshotResponse),
        *(core.AddRaftVoterRequest, core.RemoveRaftVoterRequest),
        *(core.AddRaftVoterResponse, core.RemoveRaftVoterResponse),
    ),
    Part.LIFECYCLE: (core.BrokerRegistrationResponse, core.BrokerHeartbeatResponse),
    Part.REPLICAS: (
        *(core.ProduceRequest, core.AlterPartitionResponse, core.DescribeProducersRequest),
        *(core.DeleteRecordsRequest, core.ReportLogEndResponse),
        *(core.SessionFetchRequest, core.SessionFetchResponse),
        *(core.OffsetForLeaderEpochRequest, core.OffsetForLeaderEpochResponse, core.ListOffsetsRequest),
        *(core.WriteTxnMarkersRequest, core.AddPartitionsToTxnResponse),
    ),
    Part.CONTROLLER: (
        *(core.BrokerRegistrationRequest, core.BrokerHeartbeatRequest, core.AlterPartitionRequest),
        *(core.CreateTopicRequest, core.ElectLeadersRequest, core.AllocateProducerIdsRequest),
        *(core.CreatePartitionsRequest, core.AlterConfigsRequest, core.DeleteTopicRequest),
        *(core.ReassignPartitionRequest, core.ReportLogEndRequest),
    ),
    Part.PRODUCER_IDS: (core.AllocateProducerIdsResponse,),
    Part.GROUPS: (
        *(core.FindCoordinatorRequest, core.CreateTopicResponse, core.OffsetsDecided, core.TxnOffsetCommitRequest),
        *(core.JoinGroupRequest, core.SyncGroupRequest, core.HeartbeatRequest, core.LeaveGroupRequest),
        *(core.OffsetCommitRequest, core.OffsetFetchRequest, core.OffsetDeleteRequest),
        *(core.DescribeGroupsRequest, core.ListGroupsRequest, core.DeleteGroupsRequest),
        *(core.ConsumerGroupHeartbeatRequest, core.ConsumerGroupDescribeRequest),
    ),
    Part.TRANSACTIONS: (
        *(core.AddPartitionsToTxnRequest, core.AddOffsetsToTxnRequest, core.EndTxnRequest),
        *(core.InitProducerIdResponse, core.WriteTxnMarkersResponse),
        *(core.DescribeTransactionsRequest, core.ListTransactionsRequest),
    ),
    Part.NODE: (core.MetadataRequest, core.DescribeConfigsRequest),
}
_PARTS = {kind: part for part, kinds in _TAKES.items() for kind in kinds}
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
    """The one part that an input is for; None for what concerns several.

    Requests go by kind and topic; a fetch response by the machine that chose its correlation.
    """
    if type(happened) is Received:
        message, correlation = happened.message, happened.correlation
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
    if type(happened) is TimerFired:
        return part_for_timer(happened.name)
    if type(happened) is FetchAbandoned or type(happened) is WallClockRead:
        return Part.REPLICAS
    if type(happened) is Flushed:
        return Part.QUORUM if happened.topic_partition == METADATA else Part.REPLICAS
    return None


def part_for_timer(name: str) -> Part:
    """By the prefix of its name."""
    return _TIMERS.get(name.partition(".")[0], Part.NOBODY)
