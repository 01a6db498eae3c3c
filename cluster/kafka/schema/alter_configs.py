"""AlterConfigs: set all settings of a resource at once. API key 33."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string


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
