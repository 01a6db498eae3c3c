"""DescribeConfigs: settings of topics and brokers. API key 32."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string


@dataclass(slots=True)
class DescribeConfigsResource:
    """A topic (2) or a broker (4), and which settings; null for all."""

    resource_type: int = int8()
    resource_name: str = string()
    configuration_keys: list[str] | None = array("string", null="0+")


@dataclass(slots=True)
class DescribeConfigsRequest:
    """Tell me these settings."""

    resources: list[DescribeConfigsResource] = array(DescribeConfigsResource)
    include_synonyms: bool = boolean()
    include_documentation: bool = boolean("3+")


@dataclass(slots=True)
class DescribeConfigsSynonym:
    """Another place that could set it."""

    name: str = string()
    value: str | None = string(null="0+")
    source: int = int8()


@dataclass(slots=True)
class DescribeConfigsResourceResult:
    """One setting."""

    name: str = string()
    value: str | None = string(null="0+")
    read_only: bool = boolean()
    config_source: int = int8(default=-1)
    is_sensitive: bool = boolean()
    synonyms: list[DescribeConfigsSynonym] = array(DescribeConfigsSynonym)
    config_type: int = int8("3+")
    documentation: str | None = string("3+", null="0+")


@dataclass(slots=True)
class DescribeConfigsResult:
    """The settings of one resource."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    resource_type: int = int8()
    resource_name: str = string()
    configs: list[DescribeConfigsResourceResult] = array(DescribeConfigsResourceResult)


@dataclass(slots=True)
class DescribeConfigsResponse:
    """The settings with where they come from."""

    throttle_time_ms: int = int32()
    results: list[DescribeConfigsResult] = array(DescribeConfigsResult)
