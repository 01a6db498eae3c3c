"""ApiVersions: the first request of a connection. The header of its response is never flexible. API key 18."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int16, int32, int64, string


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
