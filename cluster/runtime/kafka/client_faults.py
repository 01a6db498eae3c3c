"""What goes wrong between one broker and its Kafka clients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class ClientFaults:
    """What goes wrong between this broker and its clients."""

    drop_responses: float = 0.0
    """Share of produce responses that are lost, with their connection: 0 to 1."""
    slow_ms: int = 0
    """Each response leaves later by this."""
    is_cut: bool = False
    """Nothing is read from clients and nothing is sent to them."""


def client_faults(plain: dict[str, Any]) -> ClientFaults:
    """From the order of a lab. Raises ValueError or TypeError when it is not one."""
    return ClientFaults(float(plain.get("drop", 0.0)), int(plain.get("slow_ms", 0)), bool(plain.get("cut", False)))
