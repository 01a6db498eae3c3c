"""AlterConfigs, IncrementalAlterConfigs: one request for the controller for each resource. Source: KIP-133, KIP-339."""

from __future__ import annotations

from collections import Counter
from typing import Any

from cluster.kafka.errors import KafkaError, client_error, words_for
from cluster.kafka.exchanges.each_once import EachOnce, Refused
from cluster.kafka.frames import Request
from cluster.kafka.schema import alter_configs as schema
from cluster.kafka.schema import incremental_alter_configs as incremental
from cluster.model.messages import AlterConfigsRequest, AlterConfigsResponse
from cluster.model.messages.alter_configs import SET


class AlterConfigsExchange(EachOnce):
    """What becomes of one AlterConfigs request: what it does not name takes its default again."""

    __slots__ = ()
    _of_resource: type = schema.AlterConfigsResourceResponse
    _of_request: type = schema.AlterConfigsResponse
    _replaces = True

    def __init__(self, request: Request) -> None:
        resources = request.message.resources
        times = Counter((each.resource_type, each.resource_name) for each in resources)
        named = {(each.resource_type, each.resource_name): each for each in resources}
        twice = KafkaError.INVALID_REQUEST, "a resource named twice"
        super().__init__(
            request,
            [
                Refused(self._of_resource(*twice, kind, name))
                if times[kind, name] > 1
                else AlterConfigsRequest(
                    resource_type=kind,
                    resource_name=name,
                    changes=tuple((each.name, self._operation(each), each.value) for each in resource.configs),
                    validate_only=request.message.validate_only,
                    replaces=self._replaces,
                )
                for (kind, name), resource in named.items()
            ],
        )

    def _operation(self, config: Any) -> int:
        del config
        return SET

    def result(self, asked: AlterConfigsRequest, response: AlterConfigsResponse) -> Any:
        """Of one resource."""
        error = client_error(response.error, self._request.api.key, self._request.version)
        return self._of_resource(error, words_for(error, response.reason), asked.resource_type, asked.resource_name)

    def response(self) -> Any:
        """What the client is told; each resource once."""
        return self._of_request(responses=self._results)


class IncrementalAlterConfigsExchange(AlterConfigsExchange):
    """What becomes of one IncrementalAlterConfigs request: what it does not name stays."""

    __slots__ = ()
    _of_resource = incremental.AlterConfigsResourceResponse
    _of_request = incremental.IncrementalAlterConfigsResponse
    _replaces = False

    def _operation(self, config: Any) -> int:
        return int(config.config_operation)
