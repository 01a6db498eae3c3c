"""Every message between nodes, one file per RPC. Frames carry these with Kafka's field names."""

from __future__ import annotations

from typing import TypeAlias, get_args

from cluster.model.messages.allocate_producer_ids import AllocateProducerIdsRequest, AllocateProducerIdsResponse
from cluster.model.messages.alter_configs import (
    AlterConfigsRequest,
    AlterConfigsResponse,
    DescribeConfigsRequest,
    DescribeConfigsResponse,
)
from cluster.model.messages.alter_partition import AlterPartitionRequest, AlterPartitionResponse
from cluster.model.messages.broker_heartbeat import BrokerHeartbeatRequest, BrokerHeartbeatResponse
from cluster.model.messages.broker_registration import BrokerRegistrationRequest, BrokerRegistrationResponse
from cluster.model.messages.consumer_group_describe import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupDescribeResponse,
)
from cluster.model.messages.consumer_group_heartbeat import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
)
from cluster.model.messages.create_partitions import CreatePartitionsRequest, CreatePartitionsResponse
from cluster.model.messages.create_topic import CreateTopicRequest, CreateTopicResponse
from cluster.model.messages.delete_groups import DeleteGroupsRequest, DeleteGroupsResponse
from cluster.model.messages.delete_records import DeleteRecordsRequest, DeleteRecordsResponse
from cluster.model.messages.delete_topic import DeleteTopicRequest, DeleteTopicResponse
from cluster.model.messages.describe_groups import DescribeGroupsRequest, DescribeGroupsResponse
from cluster.model.messages.describe_producers import DescribeProducersRequest, DescribeProducersResponse
from cluster.model.messages.describe_quorum import DescribeQuorumRequest, DescribeQuorumResponse
from cluster.model.messages.elect_leaders import ElectLeadersRequest, ElectLeadersResponse
from cluster.model.messages.fetch import FetchRequest, FetchResponse
from cluster.model.messages.find_coordinator import FindCoordinatorRequest, FindCoordinatorResponse
from cluster.model.messages.heartbeat import HeartbeatRequest, HeartbeatResponse
from cluster.model.messages.init_producer_id import InitProducerIdRequest, InitProducerIdResponse
from cluster.model.messages.join_group import JoinGroupRequest, JoinGroupResponse
from cluster.model.messages.leave_group import LeaveGroupRequest, LeaveGroupResponse
from cluster.model.messages.list_groups import ListGroupsRequest, ListGroupsResponse
from cluster.model.messages.list_offsets import ListOffsetsRequest, ListOffsetsResponse
from cluster.model.messages.metadata import MetadataRequest, MetadataResponse
from cluster.model.messages.offset_commit import OffsetCommitRequest, OffsetCommitResponse
from cluster.model.messages.offset_delete import OffsetDeleteRequest, OffsetDeleteResponse
from cluster.model.messages.offset_fetch import OffsetFetchRequest, OffsetFetchResponse
from cluster.model.messages.offset_for_leader_epoch import OffsetForLeaderEpochRequest, OffsetForLeaderEpochResponse
from cluster.model.messages.produce import ProduceRequest, ProduceResponse
from cluster.model.messages.quorum_epoch import (
    BeginQuorumEpochRequest,
    BeginQuorumEpochResponse,
    EndQuorumEpochRequest,
    EndQuorumEpochResponse,
)
from cluster.model.messages.sync_group import SyncGroupRequest, SyncGroupResponse
from cluster.model.messages.vote import VoteRequest, VoteResponse

Message: TypeAlias = (
    VoteRequest
    | VoteResponse
    | BeginQuorumEpochRequest
    | BeginQuorumEpochResponse
    | EndQuorumEpochRequest
    | EndQuorumEpochResponse
    | FetchRequest
    | FetchResponse
    | BrokerRegistrationRequest
    | BrokerRegistrationResponse
    | BrokerHeartbeatRequest
    | BrokerHeartbeatResponse
    | AlterPartitionRequest
    | AlterPartitionResponse
    | CreateTopicRequest
    | CreateTopicResponse
    | ElectLeadersRequest
    | ElectLeadersResponse
    | ProduceRequest
    | ProduceResponse
    | MetadataRequest
    | MetadataResponse
    | OffsetForLeaderEpochRequest
    | OffsetForLeaderEpochResponse
    | ListOffsetsRequest
    | ListOffsetsResponse
    | InitProducerIdRequest
    | InitProducerIdResponse
    | AllocateProducerIdsRequest
    | AllocateProducerIdsResponse
    | CreatePartitionsRequest
    | CreatePartitionsResponse
    | AlterConfigsRequest
    | AlterConfigsResponse
    | DescribeConfigsRequest
    | DescribeConfigsResponse
    | DescribeQuorumRequest
    | DescribeQuorumResponse
    | DescribeProducersRequest
    | DescribeProducersResponse
    | DeleteTopicRequest
    | DeleteTopicResponse
    | DeleteRecordsRequest
    | DeleteRecordsResponse
    | FindCoordinatorRequest
    | FindCoordinatorResponse
    | JoinGroupRequest
    | JoinGroupResponse
    | SyncGroupRequest
    | SyncGroupResponse
    | HeartbeatRequest
    | HeartbeatResponse
    | LeaveGroupRequest
    | LeaveGroupResponse
    | OffsetCommitRequest
    | OffsetCommitResponse
    | OffsetFetchRequest
    | OffsetFetchResponse
    | DescribeGroupsRequest
    | DescribeGroupsResponse
    | ListGroupsRequest
    | ListGroupsResponse
    | DeleteGroupsRequest
    | DeleteGroupsResponse
    | OffsetDeleteRequest
    | OffsetDeleteResponse
    | ConsumerGroupHeartbeatRequest
    | ConsumerGroupHeartbeatResponse
    | ConsumerGroupDescribeRequest
    | ConsumerGroupDescribeResponse
)
MESSAGES: dict[str, type] = {kind.__name__: kind for kind in get_args(Message)}

__all__ = [
    "AllocateProducerIdsRequest",
    "AllocateProducerIdsResponse",
    "AlterConfigsRequest",
    "AlterConfigsResponse",
    "AlterPartitionRequest",
    "AlterPartitionResponse",
    "BeginQuorumEpochRequest",
    "BeginQuorumEpochResponse",
    "BrokerHeartbeatRequest",
    "BrokerHeartbeatResponse",
    "BrokerRegistrationRequest",
    "BrokerRegistrationResponse",
    "ConsumerGroupDescribeRequest",
    "ConsumerGroupDescribeResponse",
    "ConsumerGroupHeartbeatRequest",
    "ConsumerGroupHeartbeatResponse",
    "CreatePartitionsRequest",
    "CreatePartitionsResponse",
    "CreateTopicRequest",
    "DeleteRecordsRequest",
    "DeleteRecordsResponse",
    "DeleteTopicRequest",
    "DeleteTopicResponse",
    "DescribeConfigsRequest",
    "DescribeConfigsResponse",
    "DescribeProducersRequest",
    "DescribeProducersResponse",
    "DescribeQuorumRequest",
    "DescribeQuorumResponse",
    "CreateTopicResponse",
    "ElectLeadersRequest",
    "ElectLeadersResponse",
    "EndQuorumEpochRequest",
    "EndQuorumEpochResponse",
    "FetchRequest",
    "FetchResponse",
    "InitProducerIdRequest",
    "InitProducerIdResponse",
    "ListOffsetsRequest",
    "ListOffsetsResponse",
    "MESSAGES",
    "Message",
    "MetadataRequest",
    "MetadataResponse",
    "OffsetForLeaderEpochRequest",
    "OffsetForLeaderEpochResponse",
    "ProduceRequest",
    "ProduceResponse",
    "FindCoordinatorRequest",
    "FindCoordinatorResponse",
    "JoinGroupRequest",
    "JoinGroupResponse",
    "SyncGroupRequest",
    "SyncGroupResponse",
    "HeartbeatRequest",
    "HeartbeatResponse",
    "LeaveGroupRequest",
    "LeaveGroupResponse",
    "OffsetCommitRequest",
    "OffsetCommitResponse",
    "OffsetFetchRequest",
    "OffsetFetchResponse",
    "DescribeGroupsRequest",
    "DescribeGroupsResponse",
    "ListGroupsRequest",
    "ListGroupsResponse",
    "DeleteGroupsRequest",
    "DeleteGroupsResponse",
    "OffsetDeleteRequest",
    "OffsetDeleteResponse",
    "VoteRequest",
    "VoteResponse",
]
