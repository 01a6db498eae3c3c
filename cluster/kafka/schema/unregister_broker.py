"""UnregisterBroker: forget a broker that will not come back. API key 64."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.kafka.fields import int16, int32, string


@dataclass(slots=True)
class UnregisterBrokerRequest:
    """Forget it."""

    broker_id: int = int32()


@dataclass(slots=True)
class UnregisterBrokerResponse:
    """Done, or why not."""

    throttle_time_ms: int = int32()
    error_code: int = int16()
    error_message: str | None = string(null="0+")
