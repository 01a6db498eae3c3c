"""ApiVersions: what we can do, also told to those who ask in a version that we cannot. Source: KIP-35, KIP-511."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from cluster.kafka.api import APIS, Api, Request
from cluster.kafka.apis.features import SUPPORTED, finalized
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int16, int32, int64, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode

_SOFTWARE = re.compile(r"[a-zA-Z0-9](?:[a-zA-Z0-9\-.]*[a-zA-Z0-9])?")
_NAMED_FROM = 3
_LEVEL_0_FROM = 4
"""Older clients cannot read a feature of which level 0 is supported. Source: KAFKA-17492."""


@dataclass(slots=True)
class ApiVersionsRequest:
    """Which requests do you understand?"""

    client_software_name: str = string("3+")
    client_software_version: str = string("3+")


@dataclass(slots=True)
class ApiVersion:
    """One request and its versions, both ends inclusive."""

    api_key: int = int16()
    min_version: int = int16()
    max_version: int = int16()


@dataclass(slots=True)
class SupportedFeatureKey:
    """A feature that the broker can run."""

    name: str = string()
    min_version: int = int16()
    max_version: int = int16()


@dataclass(slots=True)
class FinalizedFeatureKey:
    """A feature that the cluster has agreed on."""

    name: str = string()
    max_version_level: int = int16()
    min_version_level: int = int16()


@dataclass(slots=True)
class ApiVersionsResponse:
    """The range of versions of each request."""

    error_code: int = int16()
    api_keys: list[ApiVersion] = array(ApiVersion)
    throttle_time_ms: int = int32("1+")
    supported_features: list[SupportedFeatureKey] = array(SupportedFeatureKey, "3+", tag=0)
    finalized_features_epoch: int = int64("3+", tag=1, default=-1)
    finalized_features: list[FinalizedFeatureKey] = array(FinalizedFeatureKey, "3+", tag=2)
    zk_migration_ready: bool = boolean("3+", tag=3)


def answer(request: Request, view: BrokerView) -> ApiVersionsResponse:
    """The ranges of all requests, and the cluster's features; INVALID_REQUEST for a client whose name is none."""
    message = request.message
    names = (message.client_software_name, message.client_software_version)
    if request.version >= _NAMED_FROM and not all(_SOFTWARE.fullmatch(name) for name in names):
        return ApiVersionsResponse(ErrorCode.INVALID_REQUEST)
    return ApiVersionsResponse(
        ErrorCode.NONE,
        _ranges(),
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


def unsupported() -> ApiVersionsResponse:
    """For a client that asked in a version that we lack; it goes out in the layout of version 0, which all can read."""
    return ApiVersionsResponse(ErrorCode.UNSUPPORTED_VERSION, _ranges())


def _ranges() -> list[ApiVersion]:
    return [ApiVersion(key, api.advertised_first, api.last) for key, api in sorted(APIS.items())]


API_VERSIONS: Final = Api(
    18,
    ApiVersionsRequest,
    ApiVersionsResponse,
    Known.by(answer),
    versions="0-4",
    flexible="3+",
    flexible_response_header=False,
)
