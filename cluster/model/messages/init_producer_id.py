"""InitProducerId: an id for an idempotent producer. Source: KIP-98, KIP-360, API key 22."""

from __future__ import annotations

from cluster.model.positional import Positional


class InitProducerIdRequest(Positional, kw_only=True):
    """Give me an id nobody else has."""

    client_id: str
    """Untrusted text."""
    transactional_id: str | None = None
    """None for a producer without transactions; there are none here, so anything else is refused."""
    producer_id: int = -1
    """The one it had; -1 for none. Without transactions it is not looked at: a new one is given."""
    producer_epoch: int = -1
    """The one it had; -1 for none."""


class InitProducerIdResponse(Positional, kw_only=True):
    """A fresh id, or why not."""

    error: int = 0
    """An ErrorCode."""
    producer_id: int = -1
    """Never given before; -1 with an error."""
    producer_epoch: int = -1
    """0 for a fresh id; -1 with an error."""
