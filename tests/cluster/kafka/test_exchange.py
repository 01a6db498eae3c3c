"""What every exchange keeps."""

from __future__ import annotations

from cluster.kafka.exchange import Known


def test_a_known_answer_asks_nothing() -> None:
    exchange = Known("as it is")
    assert exchange.is_complete
    assert exchange.requests == []
    assert exchange.answer(None, None) == ()
    assert (exchange.response(), exchange.why_closed) == ("as it is", "")
