"""DescribeAcls, CreateAcls, DeleteAcls: answered as by a Kafka broker whose `authorizer.class.name` is empty.

Sources: KIP-140, KIP-290; Kafka AclApis.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, int8, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode

_LITERAL = 3
ERROR, WORDS = ErrorCode.SECURITY_DISABLED, "No authorizer is configured: everybody may do everything."


@dataclass(slots=True)
class Filter:
    """Some ACLs. A null name, principal or host stands for any."""

    resource_type_filter: int = int8()
    resource_name_filter: str | None = string(null="0+")
    pattern_type_filter: int = int8("1+", default=_LITERAL)
    principal_filter: str | None = string(null="0+")
    host_filter: str | None = string(null="0+")
    operation: int = int8()
    permission_type: int = int8()


@dataclass(slots=True)
class DescribeAclsRequest(Filter):
    """Which of these are there?"""


@dataclass(slots=True)
class AclDescription:
    """Who may, or may not, do what to one resource."""

    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@dataclass(slots=True)
class DescribeAclsResource:
    """One resource, or all whose names begin so, with its ACLs."""

    resource_type: int = int8()
    resource_name: str = string()
    pattern_type: int = int8("1+", default=_LITERAL)
    acls: list[AclDescription] = array(AclDescription)


@dataclass(slots=True)
class DescribeAclsResponse:
    """The ACLs that fit."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")
    resources: list[DescribeAclsResource] = array(DescribeAclsResource)


def describe_acls(_request: Request, _view: BrokerView) -> DescribeAclsResponse:
    """There are none, and nobody would look at them."""
    return DescribeAclsResponse(error_code=ERROR, error_message=WORDS)


DESCRIBE_ACLS: Final = Api(
    29, DescribeAclsRequest, DescribeAclsResponse, Known.by(describe_acls), versions="1-3", flexible="2+"
)


@dataclass(slots=True)
class AclCreation:
    """One ACL to add."""

    resource_type: int = int8()
    resource_name: str = string()
    resource_pattern_type: int = int8("1+", default=_LITERAL)
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@dataclass(slots=True)
class CreateAclsRequest:
    """Add these ACLs."""

    creations: list[AclCreation] = array(AclCreation)


@dataclass(slots=True)
class AclCreationResult:
    """What became of one of them."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")


@dataclass(slots=True)
class CreateAclsResponse:
    """What became of each, in the order of the request."""

    throttle_time_ms: int = int32()
    results: list[AclCreationResult] = array(AclCreationResult)


def create_acls(request: Request, _view: BrokerView) -> CreateAclsResponse:
    """None is added."""
    return CreateAclsResponse(results=[AclCreationResult(ERROR, WORDS) for _ in request.message.creations])


CREATE_ACLS: Final = Api(
    30, CreateAclsRequest, CreateAclsResponse, Known.by(create_acls), versions="1-3", flexible="2+"
)


@dataclass(slots=True)
class DeleteAclsFilter(Filter):
    """Which ones to remove."""


@dataclass(slots=True)
class DeleteAclsRequest:
    """Remove the ACLs that fit one of these."""

    filters: list[DeleteAclsFilter] = array(DeleteAclsFilter)


@dataclass(slots=True)
class DeleteAclsMatchingAcl:
    """One ACL that was removed, or why it was not."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    resource_type: int = int8()
    resource_name: str = string()
    pattern_type: int = int8("1+", default=_LITERAL)
    principal: str = string()
    host: str = string()
    operation: int = int8()
    permission_type: int = int8()


@dataclass(slots=True)
class DeleteAclsFilterResult:
    """What one filter found."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    matching_acls: list[DeleteAclsMatchingAcl] = array(DeleteAclsMatchingAcl)


@dataclass(slots=True)
class DeleteAclsResponse:
    """What each filter found, in the order of the request."""

    throttle_time_ms: int = int32()
    filter_results: list[DeleteAclsFilterResult] = array(DeleteAclsFilterResult)


def delete_acls(request: Request, _view: BrokerView) -> DeleteAclsResponse:
    """None is removed."""
    return DeleteAclsResponse(filter_results=[DeleteAclsFilterResult(ERROR, WORDS) for _ in request.message.filters])


DELETE_ACLS: Final = Api(
    31, DeleteAclsRequest, DeleteAclsResponse, Known.by(delete_acls), versions="1-3", flexible="2+"
)
