"""Names and ids of topics, and where nodes listen."""

from __future__ import annotations

import re
from typing import NamedTuple

from cluster.kafka.fields import UUID_BYTES

_LEGAL = re.compile(r"[a-zA-Z0-9._-]{1,249}")
_ID_PREFIX = b"topic"
INTERNAL = frozenset(("__consumer_offsets", "__transaction_state"))
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


def topic_uuid(topic_id: int) -> bytes:
    """The sixteen bytes that clients know a topic by; never all zero, which would mean that it has none."""
    return _ID_PREFIX + topic_id.to_bytes(UUID_BYTES - len(_ID_PREFIX), "big")
