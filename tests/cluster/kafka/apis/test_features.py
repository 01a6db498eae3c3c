"""Levels of features stay what they are."""

from __future__ import annotations

import pytest

from cluster.kafka.apis.features import (
    ELIGIBLE_LEADER_REPLICAS,
    METADATA_VERSION,
    SAFE_DOWNGRADE,
    SUPPORTED,
    UPDATE_FEATURES,
    UPGRADE,
    FeatureUpdateKey,
    UpdateFeaturesRequest,
)
from cluster.kafka.broker_view import BrokerView
from cluster.model.errors import ErrorCode
from tests.support.clients.client_world import ENDPOINTS, request_of, told

VIEW = BrokerView(node_id=1, cluster_id="c1", controller_id=1, brokers=ENDPOINTS, partitions={})
NEWEST = SUPPORTED[METADATA_VERSION].last


@pytest.mark.parametrize("version", UPDATE_FEATURES.versions)
@pytest.mark.parametrize(
    ("feature", "level", "kind", "fits"),
    [
        (METADATA_VERSION, NEWEST, UPGRADE, True),
        (METADATA_VERSION, NEWEST + 1, UPGRADE, False),
        (METADATA_VERSION, NEWEST - 1, SAFE_DOWNGRADE, False),
        (METADATA_VERSION, -1, SAFE_DOWNGRADE, False),
        (ELIGIBLE_LEADER_REPLICAS, 1, UPGRADE, True),
        (ELIGIBLE_LEADER_REPLICAS, 0, SAFE_DOWNGRADE, False),
        (ELIGIBLE_LEADER_REPLICAS, 0, UPGRADE, False),
        ("no.such.feature", 0, UPGRADE, False),
    ],
)
def test_only_the_level_that_it_has_may_be_asked_for(
    version: int, feature: str, level: int, kind: int, fits: bool
) -> None:
    update = FeatureUpdateKey(feature, level, kind != UPGRADE, kind)
    request = request_of(UPDATE_FEATURES, version, UpdateFeaturesRequest(1_000, [update]))
    response = told(request, request.api.begin(request, VIEW).response())
    assert response.error_code == (ErrorCode.NONE if fits else ErrorCode.INVALID_UPDATE_VERSION)
    assert (response.error_message is None) == fits
    assert [each.feature for each in response.results] == ([feature] if fits and version <= 1 else [])


def test_there_is_no_fourth_kind_of_update() -> None:
    update = FeatureUpdateKey(METADATA_VERSION, NEWEST, upgrade_type=9)
    request = request_of(UPDATE_FEATURES, 2, UpdateFeaturesRequest(1_000, [update]))
    response = told(request, request.api.begin(request, VIEW).response())
    assert response.error_code == ErrorCode.INVALID_UPDATE_VERSION
