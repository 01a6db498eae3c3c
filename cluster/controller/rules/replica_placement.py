"""Where the replicas of new partitions are put."""

from __future__ import annotations

from cluster.controller.image import MetadataImage
from cluster.model.identifiers import NodeId
from cluster.model.ruling import Ruling, rule


@rule(source="KIP-36, KIP-631", kafka="StripedReplicaPlacer.place")
def place_replicas(
    image: MetadataImage, partitions: int, replication_factor: int, start: int
) -> Ruling[list[tuple[NodeId, ...]]]:
    """Each partition starts one broker after the one before it; fenced brokers only fill up.

    Kafka starts at a random broker and goes by racks; here the start is given, so that a run repeats exactly.
    """
    usable = usable_brokers(image)
    unfenced = tuple(node for node in usable if not image.brokers[node].fenced)
    fenced = tuple(node for node in usable if image.brokers[node].fenced)
    return Ruling(
        [
            (_rotated(unfenced, partition) + _rotated(fenced, partition))[:replication_factor]
            for partition in range(start, start + partitions)
        ],
        True,
        "striped over the brokers",
        {"unfenced": list(unfenced), "fenced": list(fenced)},
    )


def usable_brokers(image: MetadataImage) -> list[NodeId]:
    """Registered brokers that are not shutting down, unfenced ones first."""
    usable = [node for node, broker in sorted(image.brokers.items()) if not broker.in_controlled_shutdown]
    return sorted(usable, key=lambda node: (image.brokers[node].fenced, node))


def _rotated(brokers: tuple[NodeId, ...], start: int) -> tuple[NodeId, ...]:
    if not brokers:
        return ()
    index = start % len(brokers)
    return brokers[index:] + brokers[:index]
