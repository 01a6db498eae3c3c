"""In which rack a broker stands. Source: Kafka broker.rack, KIP-36."""

from __future__ import annotations

from cluster.model.identifiers import NodeId

NO_RACK = ""


def rack_of(broker: NodeId, racks: int) -> str:
    """The name of its rack: brokers are spread over the racks in turn, from r1 on.

    Args:
        racks: how many there are; with 0 no broker has one.
    """
    return f"r{(broker - 1) % racks + 1}" if racks else NO_RACK
