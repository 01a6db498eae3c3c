"""UnregisterBroker: the brokers of a run stay registered, so that each may come back. Source: KIP-631."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema.unregister_broker import UnregisterBrokerResponse


def unregister_broker(request: Request, view: BrokerView) -> UnregisterBrokerResponse:
    """Why it is not forgotten."""
    broker = request.message.broker_id
    if broker not in view.brokers and broker not in view.fenced:
        error, words = KafkaError.BROKER_ID_NOT_REGISTERED, f"broker {broker} is not registered"
    else:
        error, words = KafkaError.UNSUPPORTED_VERSION, "the brokers of a run stay registered: each may be started again"
    return UnregisterBrokerResponse(error_code=error, error_message=words)
