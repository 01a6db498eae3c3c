"""ListConfigResources: topics and brokers; nothing else has settings here. Source: KIP-1142, KIP-714."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.exchanges.exchange import BrokerView
from cluster.kafka.frames import Request
from cluster.kafka.schema.list_config_resources import ConfigResource, ListConfigResourcesResponse

TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP = 2, 4, 8, 16, 32
"""Types of resources. Source: Kafka ConfigResource.Type."""
_TYPES_FROM = 1


def list_config_resources(request: Request, view: BrokerView) -> ListConfigResourcesResponse:
    """Those of the types that the client wants. A type that Kafka does not have is an error for all."""
    wanted = request.message.resource_types or (TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP)
    if request.version < _TYPES_FROM:
        wanted = (CLIENT_METRICS,)
    if not set(wanted) <= {TOPIC, BROKER, BROKER_LOGGER, CLIENT_METRICS, GROUP}:
        return ListConfigResourcesResponse(error_code=KafkaError.UNSUPPORTED_VERSION)
    found = [ConfigResource(name, TOPIC) for name in sorted(view.topic_names.values()) if TOPIC in wanted]
    found += [ConfigResource(str(node), BROKER) for node in sorted(view.brokers) if BROKER in wanted]
    return ListConfigResourcesResponse(config_resources=found)
