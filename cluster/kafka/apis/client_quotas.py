"""DescribeClientQuotas, AlterClientQuotas: a cluster has no quotas of clients, and takes none.

Sources: KIP-546; Kafka ClientQuotasImage.describe, ClientQuotaControlManager.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, float64, int8, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode

_EXACT = 0
_MATCHES = range(3)
_ENTITIES = ("user", "client-id", "ip")
NO_QUOTAS = "Client quotas are not built: nobody is slowed down."


@dataclass(slots=True)
class ComponentData:
    """Which quotas are meant; match_type: 0 of this name, 1 the default, 2 of any name."""

    entity_type: str = string()
    match_type: int = int8()
    match: str | None = string(null="0+")


@dataclass(slots=True)
class DescribeClientQuotasRequest:
    """Which quotas are there?"""

    components: list[ComponentData] = array(ComponentData)
    strict: bool = boolean()


@dataclass(slots=True)
class EntityData:
    """A user, a client id or an address; null is the default."""

    entity_type: str = string()
    entity_name: str | None = string(null="0+")


@dataclass(slots=True)
class ValueData:
    """One bound, such as consumer_byte_rate."""

    key: str = string()
    value: float = float64()


@dataclass(slots=True)
class DescribedEntryData:
    """What is set for whom."""

    entity: list[EntityData] = array(EntityData)
    values: list[ValueData] = array(ValueData)


@dataclass(slots=True)
class DescribeClientQuotasResponse:
    """The quotas that fit."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    entries: list[DescribedEntryData] | None = array(DescribedEntryData, null="0+")


def describe_quotas(request: Request, _view: BrokerView) -> DescribeClientQuotasResponse:
    """There are none. A question that Kafka does not take is refused."""
    for component in request.message.components:
        if component.entity_type not in _ENTITIES:
            error, words = ErrorCode.UNSUPPORTED_VERSION, f"no quota is for a {component.entity_type[:60]!a}"
        elif component.match_type not in _MATCHES or (component.match is None) != (component.match_type != _EXACT):
            error, words = ErrorCode.INVALID_REQUEST, f"match type {component.match_type} does not fit its name"
        else:
            continue
        return DescribeClientQuotasResponse(error_code=error, error_message=words, entries=None)
    return DescribeClientQuotasResponse()


DESCRIBE_CLIENT_QUOTAS: Final = Api(
    48,
    DescribeClientQuotasRequest,
    DescribeClientQuotasResponse,
    Known.by(describe_quotas),
    versions="0-1",
    flexible="1+",
)


@dataclass(slots=True)
class OpData:
    """One bound to set or to remove."""

    key: str = string()
    value: float = float64()
    remove: bool = boolean()


@dataclass(slots=True)
class AlteredEntryData:
    """What to change for whom."""

    entity: list[EntityData] = array(EntityData)
    ops: list[OpData] = array(OpData)


@dataclass(slots=True)
class AlterClientQuotasRequest:
    """Set and remove these."""

    entries: list[AlteredEntryData] = array(AlteredEntryData)
    validate_only: bool = boolean()


@dataclass(slots=True)
class AlterClientQuotasEntry:
    """What became of one of them."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    entity: list[EntityData] = array(EntityData)


@dataclass(slots=True)
class AlterClientQuotasResponse:
    """What became of each, in the order of the request."""

    throttle_time_ms: int = int32()
    entries: list[AlterClientQuotasEntry] = array(AlterClientQuotasEntry)


def alter_quotas(request: Request, _view: BrokerView) -> AlterClientQuotasResponse:
    """None is set. To remove what is not there is no error, as in Kafka."""
    return AlterClientQuotasResponse(
        entries=[
            AlterClientQuotasEntry(ErrorCode.NONE, None, entry.entity)
            if all(op.remove for op in entry.ops)
            else AlterClientQuotasEntry(ErrorCode.UNSUPPORTED_VERSION, NO_QUOTAS, entry.entity)
            for entry in request.message.entries
        ]
    )


ALTER_CLIENT_QUOTAS: Final = Api(
    49, AlterClientQuotasRequest, AlterClientQuotasResponse, Known.by(alter_quotas), versions="0-1", flexible="1+"
)
