"""UpdateFeatures: change the level of features. API key 57."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, boolean, int8, int16, int32, string


@dataclass(slots=True)
class FeatureUpdateKey:
    """The level that one feature is to have; upgrade_type: 1 up, 2 down without loss, 3 down with loss."""

    feature: str = string()
    max_version_level: int = int16()
    allow_downgrade: bool = boolean("0")
    upgrade_type: int = int8("1+", default=1)


@dataclass(slots=True)
class UpdateFeaturesRequest:
    """Change these, all or none."""

    timeout_ms: int = int32(default=60000)
    feature_updates: list[FeatureUpdateKey] = array(FeatureUpdateKey)
    validate_only: bool = boolean("1+")


@dataclass(slots=True)
class UpdatableFeatureResult:
    """What became of one feature."""

    feature: str = string()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)


@dataclass(slots=True)
class UpdateFeaturesResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+", default=None)
    results: list[UpdatableFeatureResult] = array(UpdatableFeatureResult, "0-1")
