"""UpdateFeatures: no level changes while a cluster runs; what is asked is judged as in Kafka. Source: KIP-584."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.exchanges.features import SUPPORTED, finalized
from cluster.kafka.frames import Request
from cluster.kafka.schema.update_features import FeatureUpdateKey, UpdatableFeatureResult, UpdateFeaturesResponse
from cluster.model.settings import Settings

UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE = 1, 2, 3
"""Kinds of updates. Source: Kafka FeatureUpdate.UpgradeType."""
_TYPES_FROM = 1


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
            return UpdateFeaturesResponse(error_code=KafkaError.INVALID_UPDATE_VERSION, error_message=words)
    return UpdateFeaturesResponse(results=[UpdatableFeatureResult(update.feature) for update in updates])


def _what_is_wrong(update: FeatureUpdateKey, kind: int, settings: Settings) -> str:
    """Empty when the feature has this level. Source: Kafka FeatureControlManager.updateFeature."""
    level, known = update.max_version_level, SUPPORTED.get(update.feature)
    if kind not in (UPGRADE, SAFE_DOWNGRADE, UNSAFE_DOWNGRADE):
        return f"there is no upgrade type {kind}"
    if known is None:
        return "there is no such feature"
    if not known.first <= level <= known.last:
        return f"the nodes run levels {known.first} to {known.last}"
    now = finalized(settings).get(update.feature, 0)
    if level == now:
        return ""
    if (level > now) != (kind == UPGRADE):
        return f"it has level {now}, which the upgrade type does not fit"
    return f"it has level {now} for as long as the run lives"
