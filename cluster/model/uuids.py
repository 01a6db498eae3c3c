"""Ids of sixteen bytes as Kafka writes them: 22 characters. Source: Kafka Uuid."""

from __future__ import annotations

import base64
import hashlib
from typing import Final

NO_BYTES = bytes(16)
"""Stands for none."""


def uuid_of(text: str) -> str:
    """The id that a text stands for, always the same; the first character is no dash. Source: Uuid.randomUuid."""
    digest = hashlib.sha256(text.encode()).digest()
    return uuid_text(bytes((digest[0] & 0x7F,)) + digest[1:16])


def uuid_text(uuid: bytes) -> str:
    """As people read it; empty for none."""
    return "" if uuid == NO_BYTES else base64.urlsafe_b64encode(uuid).decode().rstrip("=")


def uuid_bytes(text: str) -> bytes:
    """As the protocol writes it: the inverse."""
    return base64.urlsafe_b64decode(f"{text}==") if text else NO_BYTES


UUID_BYTES: Final = 16
_PREFIX: Final = b"topic"


def topic_uuid(topic_id: int) -> bytes:
    """The sixteen bytes that clients know a topic by; never all zero, which would mean that it has none."""
    return _PREFIX + topic_id.to_bytes(UUID_BYTES - len(_PREFIX), "big")


def topic_number(uuid: bytes) -> int | None:
    """The number behind sixteen bytes; None when they are not of this cluster."""
    is_ours = len(uuid) == UUID_BYTES and uuid.startswith(_PREFIX)
    return int.from_bytes(uuid[len(_PREFIX) :], "big") if is_ours else None
