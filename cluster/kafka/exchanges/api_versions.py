"""ApiVersions: what we can do, also told to those who ask in a version that we cannot. Source: KIP-35, KIP-511."""

from __future__ import annotations

import re
from collections.abc import Iterable

from cluster.kafka.apis import APIS, ApiKey, advertised
from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.features import SUPPORTED, finalized
from cluster.kafka.frames import Request, encode_response
from cluster.kafka.schema.api_versions import (
    ApiVersion,
    ApiVersionsResponse,
    FinalizedFeatureKey,
    SupportedFeatureKey,
)

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_NAMED_FROM = 3
_LEVEL_0_FROM = 4
"""Older clients cannot read a feature of which level 0 is supported. Source: KAFKA-17492."""


def answer(request: Request, keys: Iterable[int], view: BrokerView) -> ApiVersionsResponse:
    """The ranges of these requests and the cluster's features; INVALID_REQUEST for a client whose name is none."""
    message = request.message
    names = (message.client_software_name, message.client_software_version)
    if request.version >= _NAMED_FROM and not all(_SOFTWARE.fullmatch(name) for name in names):
        return ApiVersionsResponse(KafkaError.INVALID_REQUEST)
    return ApiVersionsResponse(
        KafkaError.NONE,
        _ranges(keys),
        supported_features=[
            SupportedFeatureKey(name, feature.first, feature.last)
            for name, feature in SUPPORTED.items()
            if feature.first or request.version >= _LEVEL_0_FROM
        ],
        finalized_features_epoch=view.metadata_offset,
        finalized_features=[
            FinalizedFeatureKey(name, level, level) for name, level in finalized(view.settings).items()
        ],
    )


def unsupported(correlation_id: int, keys: Iterable[int]) -> bytes:
    """The frame for a client that asked in a version that we lack: the layout of version 0, which all can read."""
    response = ApiVersionsResponse(KafkaError.UNSUPPORTED_VERSION, _ranges(keys))
    return encode_response(APIS[ApiKey.API_VERSIONS], 0, correlation_id, response)


def _ranges(keys: Iterable[int]) -> list[ApiVersion]:
    return [ApiVersion(*each) for each in advertised({*keys, ApiKey.API_VERSIONS})]
