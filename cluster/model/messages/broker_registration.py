"""BrokerRegistration: a broker process joins. Source: KIP-631, API key 62."""

from __future__ import annotations

from dataclasses import dataclass

from cluster.model.identifiers import NO_NODE, NodeId


@dataclass(slots=True, kw_only=True)
class BrokerRegistrationRequest:
    """Register me."""

    broker_id: NodeId
    """Who."""
    incarnation_id: str
    """Random per process start."""
    previous_broker_epoch: int = -1
    """From the clean-shutdown marker; -1 after an unclean stop."""


@dataclass(slots=True, kw_only=True)
class BrokerRegistrationResponse:
    """Accepted with a broker epoch, or refused."""

    error: int = 0
    """An ErrorCode."""
    broker_epoch: int = -1
    """Offset of the registration record."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
