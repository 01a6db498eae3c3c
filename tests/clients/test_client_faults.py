"""What stands between a broker and its clients, with a real client: the effects that lessons are about."""

from __future__ import annotations

import threading
import time
from collections import Counter

import pytest
from driver import Sent, paced
from living_lab import LivingLab
from losing import produce_with_lost_answers
from whole import check_whole, items, new_topic

pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
from driver_confluent import Confluent  # noqa: E402  # only where the client is


def test_lost_answers_make_duplicates_when_the_producer_is_not_idempotent(lab: LivingLab) -> None:
    topic = new_topic(lab)
    values = produce_with_lost_answers(lab, Confluent(), topic, idempotent=False)
    end = Confluent().end(lab.bootstrap, topic, 3)
    found = Counter(value for _, value in Confluent().consume(lab.bootstrap, topic, 3, end))
    assert set(found) == set(values), "nothing is lost"
    assert max(found.values()) > 1, "some records were appended, not acknowledged, and sent again"


def test_slow_clients_wait_longer_for_their_answers(lab: LivingLab) -> None:
    topic = new_topic(lab)
    for broker in lab.ports:
        lab.do(f"client slow {broker} 300ms")
    began_s = time.monotonic()
    sent = Confluent().produce(lab.bootstrap, topic, items(1))
    took_s = time.monotonic() - began_s
    lab.do("heal")
    assert (len(sent.acknowledged), sent.failed) == (1, [])
    assert took_s >= 0.9, "ApiVersions, Metadata and Produce wait 300 ms each"


def test_a_cut_client_goes_on_when_it_heals_and_nothing_is_lost_or_doubled(lab: LivingLab) -> None:
    topic, wanted = new_topic(lab), items(2_000)
    told: list[Sent] = []
    producing = threading.Thread(
        target=lambda: told.append(Confluent().produce(lab.bootstrap, topic, paced(wanted, 1_000), idempotent=True))
    )
    producing.start()
    for broker in lab.ports:
        lab.do(f"client cut {broker}")
    assert "client cut" in lab.do("status")
    producing.join(1.5)
    for broker in lab.ports:
        lab.do(f"client ok {broker}")
    producing.join(60)
    assert [sent.failed for sent in told] == [[]]
    check_whole([value for _, value in wanted], Confluent().consume(lab.bootstrap, topic, 3, 2_000))
