"""What brokers of this cluster can run and have agreed on, by Kafka's names. Source: KIP-584, KIP-1022.

Nothing here is turned on or off in a cluster that runs: a level is what its code and its settings do.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from cluster.model.settings import Settings

METADATA_VERSION = "metadata.version"
ELIGIBLE_LEADER_REPLICAS = "eligible.leader.replicas.version"


class Feature(NamedTuple):
    """The levels of one feature that this code can run, both inclusive."""

    first: int
    """0 where it may be off."""
    last: int
    """The newest."""


SUPPORTED: Final[dict[str, Feature]] = {
    METADATA_VERSION: Feature(26, 26),  # 4.1-IV0; 4.1-IV1 is about what followers put into their fetches
    "kraft.version": Feature(0, 0),  # the voters never change
    "group.version": Feature(1, 1),  # KIP-848
    ELIGIBLE_LEADER_REPLICAS: Feature(0, 1),  # KIP-966
}
"""By name. Transactions, share groups and streams groups are not built, so their features are not named."""


def finalized(settings: Settings) -> dict[str, int]:
    """The level of each feature that is on."""
    levels = {name: feature.last for name, feature in SUPPORTED.items()}
    levels[ELIGIBLE_LEADER_REPLICAS] = int(settings.elr)
    return {name: level for name, level in levels.items() if level}
