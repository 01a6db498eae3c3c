"""Ids of sixteen bytes as Kafka writes them: 22 characters. Source: Kafka Uuid."""

from __future__ import annotations

import base64
import hashlib

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
