"""Ids of topics as clients and the records of groups have them: sixteen bytes for our number. Source: KIP-516."""

from __future__ import annotations

from typing import Final

UUID_BYTES: Final = 16
_PREFIX: Final = b"topic"


def topic_uuid(topic_id: int) -> bytes:
    """The sixteen bytes that clients know a topic by; never all zero, which would mean that it has none."""
    return _PREFIX + topic_id.to_bytes(UUID_BYTES - len(_PREFIX), "big")


def topic_number(uuid: bytes) -> int | None:
    """The number behind sixteen bytes; None when they are not of this cluster."""
    is_ours = len(uuid) == UUID_BYTES and uuid.startswith(_PREFIX)
    return int.from_bytes(uuid[len(_PREFIX) :], "big") if is_ours else None
