"""BrokerRegistration: a broker process joins. Source: KIP-631, API key 62."""

from __future__ import annotations

from cluster.model.identifiers import NO_NODE, NodeId
from cluster.model.positional import Positional


class BrokerRegistrationRequest(Positional, kw_only=True):
    """Register me."""

    broker_id: NodeId
    """Who."""
    incarnation_id: str
    """Random per process start."""
    previous_broker_epoch: int = -1
    """From the clean-shutdown marker; -1 after an unclean stop."""


class BrokerRegistrationResponse(Positional, kw_only=True):
    """Accepted with a broker epoch, or refused."""

    error: int = 0
    """An ErrorCode."""
    broker_epoch: int = -1
    """Offset of the registration record."""
    leader_id: NodeId = NO_NODE
    """Active controller as known."""
