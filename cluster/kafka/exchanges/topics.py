"""Names and ids of topics, and where nodes listen."""

from __future__ import annotations

import re
from typing import NamedTuple

from cluster.model.identifiers import OFFSETS_TOPIC
from cluster.model.topic_ids import topic_number, topic_uuid

_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")
__all__ = ["INTERNAL", "Endpoint", "is_legal_topic", "topic_number", "topic_uuid"]
INTERNAL = frozenset((OFFSETS_TOPIC, "__transaction_state"))
"""Topics that a cluster keeps for itself."""


class Endpoint(NamedTuple):
    """Where a node listens for clients."""

    host: str
    """An address of this machine."""
    port: int
    """TCP port."""


def is_legal_topic(name: str) -> bool:
    """Whether a topic may have this name. Source: Kafka Topic.validate."""
    return _LEGAL.fullmatch(name) is not None and name not in (".", "..")
