"""AlterConfigs, IncrementalAlterConfigs: one request for the controller for each resource. Source: KIP-133, KIP-339."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import Api, Request, Whom
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int8, int16, int32, string
from cluster.kafka.errors import words_for
from cluster.kafka.exchange import EachOnce, Refused
from cluster.model import messages as core
from cluster.model.errors import ErrorCode
from cluster.model.messages.configs import SET


@dataclass(slots=True)
class AlterableConfig:
    """A setting that it is to have."""

    name: str = string()
    value: str | None = string(null="0+")


@dataclass(slots=True)
class AlterConfigsResource:
    """One resource; what is not named takes its default."""

    resource_type: int = int8()
    resource_name: str = string()
    configs: list[AlterableConfig] = array(AlterableConfig)


@dataclass(slots=True)
class AlterConfigsRequest:
    """Give these resources these settings and no others."""

    resources: list[AlterConfigsResource] = array(AlterConfigsResource)
    validate_only: bool = boolean()


@dataclass(slots=True)
class AlterConfigsResourceResponse:
    """What became of one resource."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    resource_type: int = int8()
    resource_name: str = string()


@dataclass(slots=True)
class AlterConfigsResponse:
    """Which resources were changed."""

    throttle_time_ms: int = int32()
    responses: list[AlterConfigsResourceResponse] = array(AlterConfigsResourceResponse)


@dataclass(slots=True)
class ConfigChange:
    """One change: 0 set, 1 delete, 2 append, 3 subtract."""

    name: str = string()
    config_operation: int = int8()
    value: str | None = string(null="0+")


@dataclass(slots=True)
class ResourceChanges:
    """The changes of one resource."""

    resource_type: int = int8()
    resource_name: str = string()
    configs: list[ConfigChange] = array(ConfigChange)


@dataclass(slots=True)
class IncrementalAlterConfigsRequest:
    """Change these settings."""

    resources: list[ResourceChanges] = array(ResourceChanges)
    validate_only: bool = boolean()


@dataclass(slots=True)
class IncrementalAlterConfigsResponse(AlterConfigsResponse):
    """The same layout."""


class AlterConfigsExchange(EachOnce):
    """What becomes of one request of either kind.

    What AlterConfigs does not name takes its default again; what IncrementalAlterConfigs does not name stays.
    """

    __slots__ = ()

    def __init__(self, request: Request, _view: BrokerView) -> None:
        resources = request.message.resources
        times = Counter((each.resource_type, each.resource_name) for each in resources)
        named = {(each.resource_type, each.resource_name): each for each in resources}
        twice = ErrorCode.INVALID_REQUEST, "a resource named twice"
        super().__init__(
            request,
            [
                Refused(AlterConfigsResourceResponse(*twice, kind, name))
                if times[kind, name] > 1
                else core.AlterConfigsRequest(
                    resource_type=kind,
                    resource_name=name,
                    changes=tuple(map(_change, resource.configs)),
                    validate_only=request.message.validate_only,
                    replaces=request.api is ALTER_CONFIGS,
                )
                for (kind, name), resource in named.items()
            ],
        )

    def result(
        self, asked: core.AlterConfigsRequest, response: core.AlterConfigsResponse
    ) -> AlterConfigsResourceResponse:
        """Of one resource."""
        error = self._request.error(response.error)
        words = words_for(error, response.reason)
        return AlterConfigsResourceResponse(error, words, asked.resource_type, asked.resource_name)

    def response(self) -> AlterConfigsResponse | IncrementalAlterConfigsResponse:
        """What the client is told; each resource once."""
        kind = AlterConfigsResponse if self._request.api is ALTER_CONFIGS else IncrementalAlterConfigsResponse
        return kind(responses=self._results)


def _change(config: AlterableConfig | ConfigChange) -> tuple[str, int, str | None]:
    operation = config.config_operation if isinstance(config, ConfigChange) else SET
    return config.name, operation, config.value


ALTER_CONFIGS: Final = Api(
    33,
    AlterConfigsRequest,
    AlterConfigsResponse,
    AlterConfigsExchange,
    versions="0-2",
    flexible="2+",
    whom=Whom.CONTROLLER,
)
INCREMENTAL_ALTER_CONFIGS: Final = Api(
    44,
    IncrementalAlterConfigsRequest,
    IncrementalAlterConfigsResponse,
    AlterConfigsExchange,
    versions="0-1",
    flexible="1+",
    whom=Whom.CONTROLLER,
)
