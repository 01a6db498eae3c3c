"""Producing until an answer to it was thrown away: how many requests a client makes is its own affair."""

from __future__ import annotations

from tests.support.clients.driver import Driver, paced
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.whole import items

SHARE = "15%"
AT_ONCE, AT_MOST = 5_000, 50_000


def produce_with_lost_answers(lab: LivingLab, driver: Driver, topic: str, *, idempotent: bool) -> list[bytes]:
    """The values that were sent, all acknowledged in the end. The lab is healed afterwards."""
    whole, before, count = items(AT_MOST), _lost(lab), 0
    for broker in lab.ports:
        lab.do(f"client drop-responses {broker} {SHARE}")
    while _lost(lab) == before and count < AT_MOST:  # a busy machine makes few and large requests
        sent = driver.produce(lab.bootstrap, topic, paced(whole[count : count + AT_ONCE], 4_000), idempotent=idempotent)
        assert sent.failed == []
        count += AT_ONCE
    lab.do("heal")
    assert _lost(lab) > before
    return [value for _, value in whole[:count]]


def _lost(lab: LivingLab) -> int:
    """How many answers to produce requests were thrown away so far."""
    return sum(entry.event.name == "client.response_lost" for entry in lab.entries())
