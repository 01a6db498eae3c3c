"""SaslAuthenticate: one step of a mechanism's own exchange. API key 36."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import blob, int16, int64, string


@dataclass(slots=True)
class SaslAuthenticateRequest:
    """The client's next bytes; with PLAIN its user and its password. Never to be shown or kept."""

    auth_bytes: bytes = blob()


@dataclass(slots=True)
class SaslAuthenticateResponse:
    """The broker's next bytes, or why not."""

    error_code: int = int16()
    error_message: str | None = string(null="0+")
    auth_bytes: bytes = blob()
    session_lifetime_ms: int = int64("1+")
