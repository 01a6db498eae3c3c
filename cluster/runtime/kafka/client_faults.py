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
    errors: tuple[tuple[str, int], ...] = ()
    """Name of a request, and the error code that it is refused with."""


def client_faults(plain: dict[str, Any]) -> ClientFaults:
    """From the order of a lab. Raises ValueError or TypeError when it is not one."""
    errors = tuple((str(api), int(error)) for api, error in plain.get("errors", ()))
    drop, slow_ms = float(plain.get("drop", 0.0)), int(plain.get("slow_ms", 0))
    return ClientFaults(drop, slow_ms, bool(plain.get("cut", False)), errors)
