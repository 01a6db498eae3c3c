"""UpdateFeatures: no level changes while a cluster runs; what is asked is judged as in Kafka. Source: KIP-584."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, NamedTuple

from cluster.kafka.api import Api, Request
from cluster.kafka.broker_view import BrokerView
from cluster.kafka.codec.fields import array, boolean, int8, int16, int32, string
from cluster.kafka.exchange import Known
from cluster.model.errors import ErrorCode
from cluster.model.settings import Settings

METADATA_VERSION = "metadata.version"
KRAFT_VERSION = "kraft.version"
TRANSACTION_VERSION = "transaction.version"
ELIGIBLE_LEADER_REPLICAS = "eligible.leader.replicas.version"
UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
"""Kinds of updates. Source: Kafka FeatureUpdate.UpgradeType."""
_TYPES_FROM = 1


class Feature(NamedTuple):
    """The levels of one feature that this code can run, both inclusive."""

    first: int
    """0 where it may be off."""
    last: int


SUPPORTED: Final[dict[str, Feature]] = {
    METADATA_VERSION: Feature(26, 26),  # 4.1-IV0; 4.1-IV1 is about what followers put into their fetches
    KRAFT_VERSION: Feature(0, 1),  # KIP-853
    TRANSACTION_VERSION: Feature(0, 2),  # KIP-890
    "group.version": Feature(1, 1),  # KIP-848
    ELIGIBLE_LEADER_REPLICAS: Feature(0, 1),  # KIP-966
}
"""By name. Share groups and streams groups are not built, so their features are not named."""


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


def update_features(request: Request, view: BrokerView) -> UpdateFeaturesResponse:
    """One error for all, as in Kafka: the first of them in words. A level that holds already is no error."""
    updates = request.message.feature_updates
    for update in updates:
        kind = update.upgrade_type
        if request.version < _TYPES_FROM:
            kind = SAFE_DOWNGRADE if update.allow_downgrade else UPGRADE
        reason = _what_is_wrong(update, kind, view.settings)
        if reason:
            words = f"{update.feature[:60]!a} cannot have level {update.max_version_level}: {reason}"
            return UpdateFeaturesResponse(error_code=ErrorCode.INVALID_UPDATE_VERSION, error_message=words)
    return UpdateFeaturesResponse(results=[UpdatableFeatureResult(update.feature) for update in updates])


def _what_is_wrong(update: FeatureUpdateKey, kind: int, settings: Settings) -> str:
    """Empty when the feature has this level. Source: Kafka FeatureControlManager.updateFeature."""
    level, levels = update.max_version_level, SUPPORTED.get(update.feature)
    if kind not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        return f"there is no upgrade type {kind}"
    if levels is None:
        return "there is no such feature"
    if not levels.first <= level <= levels.last:
        return f"the nodes run levels {levels.first} to {levels.last}"
    now = finalized(settings).get(update.feature, 0)
    if level == now:
        return ""
    if (level > now) != (kind == UPGRADE):
        return f"it has level {now}, which the upgrade type does not fit"
    return f"it has level {now} for as long as the run lives"


def finalized(settings: Settings) -> dict[str, int]:
    """The level of each feature that is on."""
    levels = {name: feature.last for name, feature in SUPPORTED.items()}
    levels[ELIGIBLE_LEADER_REPLICAS] = int(settings.elr)
    levels[TRANSACTION_VERSION] = settings.transaction_version
    levels[KRAFT_VERSION] = int(settings.dynamic_quorum)
    return {name: level for name, level in levels.items() if level}


UPDATE_FEATURES: Final = Api(
    57, UpdateFeaturesRequest, UpdateFeaturesResponse, Known.by(update_features), versions="0-2", flexible="0+"
)
