"""Kafka clients as brokers tell of them: one at two brokers, one with a hostile name, one answer lost."""

from __future__ import annotations

from cluster.model import events as ev
from tests.support.traces import story


def connects(told: story.Story, node: int, number: int, client: str = "shop", software: str = "librdkafka") -> None:
    told.say(node, ev.ClientConnected(connection_id=number, client_id=client, software=software,
                                      software_version="2.5.0"))  # fmt: skip


def asks(told: story.Story, node: int, number: int, api: str, count: int, *about: str) -> None:
    told.say(node, ev.ClientRequested(connection_id=number, client_id="shop", api=api, version=9, about=about,
                                      count=count, size_bytes=100))  # fmt: skip


def client_story() -> story.Story:
    told = story.Story()
    told.begin("clients")
    connects(told, 1, 7)
    connects(told, 2, 7)
    connects(told, 2, 8, client="\x1b[2Jevil", software="")
    asks(told, 1, 7, "Metadata", 2)
    asks(told, 2, 7, "Produce", 40, "orders-0", "orders-3")
    told.say(2, ev.ClientResponseLost(connection_id=7, client_id="shop", about=("orders-3",)))
    return told
