"""DescribeConfigs: settings of topics and brokers, from the broker that is asked. Source: KIP-133, KIP-226."""

from __future__ import annotations

from cluster.kafka.apis import ApiKey
from cluster.kafka.errors import client_error
from cluster.kafka.exchanges.each_once import EachOnce
from cluster.kafka.frames import Request
from cluster.kafka.schema import describe_configs as schema
from cluster.model.messages import DescribeConfigsRequest, DescribeConfigsResponse


class DescribeConfigsExchange(EachOnce):
    """What becomes of one DescribeConfigs request."""

    __slots__ = ("_keys",)

    def __init__(self, request: Request) -> None:
        resources = request.message.resources
        asked = [
            DescribeConfigsRequest(resource_type=each.resource_type, resource_name=each.resource_name)
            for each in resources
        ]
        keys = [each.configuration_keys for each in resources]
        super().__init__(request, asked)
        self._keys = {id(each): wanted for each, wanted in zip(asked, keys, strict=True)}

    def result(self, asked: DescribeConfigsRequest, response: DescribeConfigsResponse) -> schema.DescribeConfigsResult:
        """Of one resource: the settings that the client wants, or all of them for null."""
        error = client_error(response.error, ApiKey.DESCRIBE_CONFIGS, self._request.version)
        wanted = self._keys[id(asked)]
        configs = [self._config(*each) for each in response.configs if wanted is None or each[0] in wanted]
        words = response.reason or None
        return schema.DescribeConfigsResult(error, words, asked.resource_type, asked.resource_name, configs)

    def _config(
        self, name: str, value: str, source: int, is_read_only: bool, kind: int
    ) -> schema.DescribeConfigsResourceResult:
        synonyms = (
            [schema.DescribeConfigsSynonym(name, value, source)] if self._request.message.include_synonyms else []
        )
        return schema.DescribeConfigsResourceResult(
            name,
            value,
            is_read_only,
            source,
            is_sensitive=False,
            synonyms=synonyms,
            config_type=kind,
            documentation=None,
        )

    def response(self) -> schema.DescribeConfigsResponse:
        """What the client is told, in the order in which it asked."""
        return schema.DescribeConfigsResponse(results=self._results)
