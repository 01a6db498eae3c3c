"""ListConfigResources: what has settings. Version 0 asks for metrics subscriptions only. API key 74."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int8, int16, int32, string


@dataclass(slots=True)
class ListConfigResourcesRequest:
    """Which resources of these types are there? Empty for all types."""

    resource_types: list[int] = array("int8", "1+")


@dataclass(slots=True)
class ConfigResource:
    """One resource."""

    resource_name: str = string()
    resource_type: int = int8("1+", default=16)


@dataclass(slots=True)
class ListConfigResourcesResponse:
    """Their names."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    config_resources: list[ConfigResource] = array(ConfigResource)
