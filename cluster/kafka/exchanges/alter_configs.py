"""IncrementalAlterConfigs: one request of a client, one for the controller for each resource. Source: KIP-339."""

from __future__ import annotations

from collections import Counter

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import KafkaError, client_error
from cluster.kafka.exchanges.each_once import EachOnce, Refused
from cluster.kafka.frames import Request
from cluster.kafka.schema import incremental_alter_configs as schema
from cluster.model.messages import AlterConfigsRequest, AlterConfigsResponse


class AlterConfigsExchange(EachOnce):
    """What becomes of one IncrementalAlterConfigs request."""

    __slots__ = ()

    def __init__(self, request: Request) -> None:
        resources = request.message.resources
        times = Counter((each.resource_type, each.resource_name) for each in resources)
        named = {(each.resource_type, each.resource_name): each for each in resources}
        twice = KafkaError.INVALID_REQUEST, "a resource named twice"
        super().__init__(
            request,
            [
                Refused(schema.AlterConfigsResourceResponse(*twice, kind, name))
                if times[kind, name] > 1
                else AlterConfigsRequest(
                    resource_type=kind,
                    resource_name=name,
                    changes=tuple((each.name, each.config_operation, each.value) for each in resource.configs),
                    validate_only=request.message.validate_only,
                )
                for (kind, name), resource in named.items()
            ],
        )

    def result(self, asked: AlterConfigsRequest, response: AlterConfigsResponse) -> schema.AlterConfigsResourceResponse:
        """Of one resource."""
        error = client_error(response.error, ApiKey.INCREMENTAL_ALTER_CONFIGS, self._request.version)
        words = response.reason or None
        return schema.AlterConfigsResourceResponse(error, words, asked.resource_type, asked.resource_name)

    def response(self) -> schema.IncrementalAlterConfigsResponse:
        """What the client is told; each resource once."""
        return schema.IncrementalAlterConfigsResponse(responses=self._results)
