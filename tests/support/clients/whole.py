"""What is sent, and whether all of it is there: once, and in order."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import count

from cluster.kafka.apis.metadata import METADATA, MetadataRequest, MetadataRequestTopic
from tests.support.clients.driver import Item
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.raw_client import RawClient
from tests.support.processes.watching import until

NUMBERS = count(1)
KEYS = 16


def items(how_many: int) -> list[Item]:
    """Values tell their key and their place among those of the key."""
    return [(f"k{number % KEYS}".encode(), f"k{number % KEYS}:{number // KEYS}".encode()) for number in range(how_many)]


def new_topic(lab: LivingLab, partitions: int = 3) -> str:
    """A topic of its own for each test, which every broker has read of: a record without acks is lost before that."""
    name = f"t{next(NUMBERS)}"
    lab.do(f"topic {name} partitions={partitions} replicas=3 min-isr=2")
    until(lambda: all(knows(port, name) for port in lab.ports.values()), what=f"every broker has read of {name}")
    return name


def knows(port: int, topic: str) -> bool:
    """Whether the broker at this port has read of the topic."""
    with RawClient(port) as client:
        asked = MetadataRequest([MetadataRequestTopic(name=topic)], allow_auto_topic_creation=False)
        return bool(client.ask(METADATA, 9, asked).topics[0].error_code == 0)


def check_whole(sent: Iterable[bytes], found: list[Item]) -> None:
    """Everything once, and within a key in the order in which it was sent."""
    wanted, got = Counter(sent), Counter(value for _, value in found)
    lost, doubled = wanted - got, got - wanted
    assert (sum(lost.values()), sum(doubled.values())) == (0, 0), f"lost and doubled: {lost} {doubled}"
    places: dict[bytes, list[int]] = defaultdict(list)
    for key, value in found:
        places[key].append(int(value.partition(b":")[2]))
    assert all(each == sorted(each) for each in places.values()), "reordered within a key"
