"""What a node answers by itself: metadata from its image, and refusals for parts it does not have."""

from __future__ import annotations

from cluster.controller.controller import not_controller
from cluster.controller.image import MetadataImage
from cluster.groups.coordinator import OfGroup, not_here
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.identifiers import NodeId
from cluster.model.messages import Message
from cluster.replication import replica_manager
from cluster.transactions.coordinator import AboutTransactions
from cluster.transactions.coordinator import not_here as no_coordinator


def describe_metadata(image: MetadataImage, leader_id: NodeId, request: core.MetadataRequest) -> core.MetadataResponse:
    """Leaders and brokers as applied here; a fenced broker answers too. Source: Kafka KRaftMetadataCache."""
    wanted, states = request.topics, image.partitions
    asked = [where for where in states if not wanted or where.topic in wanted]
    partitions = tuple([(where.topic, where.partition, states[where]) for where in sorted(asked)])
    return core.MetadataResponse(controller_id=leader_id, brokers=image.unfenced_brokers(), partitions=partitions)


def refuse(request: Message, leader_id: NodeId) -> Message | None:
    """The answer of a node without the part that was asked; None for what needs no answer."""
    if type(request) in replica_manager.REQUESTS:
        return replica_manager.refusal_of(request, ErrorCode.NOT_LEADER_OR_FOLLOWER)
    match request:
        case core.InitProducerIdRequest():
            return core.InitProducerIdResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        case core.DescribeConfigsRequest():
            return core.DescribeConfigsResponse(error=ErrorCode.BROKER_NOT_AVAILABLE, reason="no broker")
        case core.DescribeQuorumRequest():
            return core.DescribeQuorumResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id)
        case core.AddRaftVoterRequest():
            return core.AddRaftVoterResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id)
        case core.RemoveRaftVoterRequest():
            return core.RemoveRaftVoterResponse(error=ErrorCode.NOT_CONTROLLER, leader_id=leader_id)
        case core.FindCoordinatorRequest(group=group):
            return core.FindCoordinatorResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE, group=group)
        case core.ListGroupsRequest():
            return core.ListGroupsResponse(error=ErrorCode.COORDINATOR_NOT_AVAILABLE)
        case core.DescribeGroupsRequest(groups=names):
            wrong = int(ErrorCode.NOT_COORDINATOR)
            return core.DescribeGroupsResponse(groups=tuple((wrong, name, "", "", "") for name in names))
        case core.ConsumerGroupDescribeRequest(groups=names):
            refused_groups = tuple((int(ErrorCode.NOT_COORDINATOR), name, "", 0, 0, "") for name in names)
            return core.ConsumerGroupDescribeResponse(groups=refused_groups)
        case core.DeleteGroupsRequest(groups=names):
            return core.DeleteGroupsResponse(groups=tuple((name, int(ErrorCode.NOT_COORDINATOR)) for name in names))
        case _ if isinstance(request, AboutTransactions):
            return no_coordinator(request, ErrorCode.NOT_COORDINATOR)
        case _ if isinstance(request, OfGroup):
            return not_here(request, ErrorCode.NOT_COORDINATOR)
        case _:
            return not_controller(request, leader_id)
