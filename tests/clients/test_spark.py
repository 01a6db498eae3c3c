"""Spark's Kafka source and sink, in batch and as a stream, against living brokers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.clients.driver import WAIT_S, Unable
from tests.support.clients.driver_spark import Spark
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.matrix_table import NOTE
from tests.support.clients.whole import check_whole, items, new_topic
from tests.support.processes.watching import until

pytest.importorskip("confluent_kafka", reason="confluent_kafka is not installed: pip install -e '.[clients]'")
from tests.support.clients.driver_confluent import Confluent  # noqa: E402  # only where the client is

pytestmark = [pytest.mark.client("spark"), pytest.mark.xdist_group("spark")]


@pytest.fixture(scope="module")
def spark(lab: LivingLab) -> Iterator[Spark]:
    """One for all: it starts slowly."""
    try:
        made = Spark(lab.bootstrap)
    except Unable as reason:
        pytest.skip(str(reason))
    yield made
    made.close()


def test_batch_written_and_read(lab: LivingLab, spark: Spark, record_property: Callable[[str, object], None]) -> None:
    record_property(NOTE, f"spark is {spark.made_of}")
    topic, wanted = new_topic(lab), items(5_000)
    spark.write(topic, 0, 5_000)
    check_whole([value for _, value in wanted], spark.read(topic))
    check_whole([value for _, value in wanted], Confluent().consume(lab.bootstrap, topic, 3, 5_000))


def test_stream_read_while_a_broker_is_killed(healed: LivingLab, spark: Spark) -> None:
    topic, wanted = new_topic(healed), items(4_000)
    spark.follow(topic)
    spark.write(topic, 0, 2_000)
    until(lambda: spark.followed_count() == 2_000, 2 * WAIT_S, "the stream has the first half")
    healed.do(f"kill leader({topic}-0)")
    spark.write(topic, 2_000, 4_000)
    until(lambda: spark.followed_count() >= 4_000, 2 * WAIT_S, "the stream has the second half")
    check_whole([value for _, value in wanted], spark.end_following())
    check_whole([value for _, value in wanted], spark.read(topic))
