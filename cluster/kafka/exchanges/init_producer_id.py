"""InitProducerId: an id for an idempotent producer. Source: KIP-98, KIP-360; D.11."""

from __future__ import annotations

from cluster.kafka.errors import KafkaError
from cluster.kafka.frames import Request
from cluster.kafka.schema.init_producer_id import InitProducerIdResponse


def refusal(request: Request) -> InitProducerIdResponse | None:
    """The answer to what we do not have; None when an id may be given.

    Transactions are not supported. The code is one that the Java client (InitProducerIdHandler) and librdkafka
    (rd_kafka_idemp_check_error) both take as final; after UNSUPPORTED_VERSION librdkafka would ask again for ever.
    """
    if request.message.transactional_id is not None:
        return failed(KafkaError.TRANSACTIONAL_ID_AUTHORIZATION_FAILED)
    has_id, has_epoch = request.message.producer_id >= 0, request.message.producer_epoch >= 0
    if has_id != has_epoch:
        return failed(KafkaError.INVALID_REQUEST)
    return None


def given(producer_id: int) -> InitProducerIdResponse:
    """A fresh id; its epoch is 0."""
    return InitProducerIdResponse(producer_id=producer_id, producer_epoch=0)


def failed(error: KafkaError) -> InitProducerIdResponse:
    """No id, for this reason."""
    return InitProducerIdResponse(error_code=error, producer_id=-1, producer_epoch=-1)
