"""SaslHandshake: choose how to prove who one is. API key 17."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import array, int16, string


@dataclass(slots=True)
class SaslHandshakeRequest:
    """I want this mechanism."""

    mechanism: str = string()


@dataclass(slots=True)
class SaslHandshakeResponse:
    """Go on, or which there are."""

    error_code: int = int16()
    mechanisms: list[str] = array("string")
