"""IncrementalAlterConfigs: change single settings. API key 44."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string


@dataclass(slots=True)
class AlterableConfig:
    """One change: 0 set, 1 delete, 2 append, 3 subtract."""

    name: str = string()
    config_operation: int = int8()
    value: str | None = string(null="0+")


@dataclass(slots=True)
class AlterConfigsResource:
    """The changes of one resource."""

    resource_type: int = int8()
    resource_name: str = string()
    configs: list[AlterableConfig] = array(AlterableConfig)


@dataclass(slots=True)
class IncrementalAlterConfigsRequest:
    """Change these settings."""

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
class IncrementalAlterConfigsResponse:
    """Which resources were changed."""

    throttle_time_ms: int = int32()
    responses: list[AlterConfigsResourceResponse] = array(AlterConfigsResourceResponse)
