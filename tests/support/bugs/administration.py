"""Topics that are made, grown, configured, elected for and deleted while the swarm breaks the cluster.

Most of it only Kafka clients can ask for, and no command does; so the requests go to the active controller as they
would from the edge, and nobody waits for the answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random

from cluster.language.topics import Consume, CreateTopic, Elect, Produce
from cluster.links.frame import Frame
from cluster.model.identifiers import FIRST_CLIENT_ID, TopicPartition
from cluster.model.messages import AlterConfigsRequest, CreatePartitionsRequest, DeleteTopicRequest, Message
from cluster.model.messages.configs import DELETE, SET, TOPIC
from cluster.simulation.swarm import nemesis
from cluster.simulation.swarm.plan import TOPICS
from cluster.simulation.world.cluster import SimulatedCluster
from tests.support.bugs.planted import PlantedBug, planted

KINDS = ("elect", "unclean", "partitions", "config", "create", "delete", "use")
EACH_S = 2.0
"""So many of them in a second, on average."""
PARTITIONS_MAX = 6
CORRELATION_STEP, CORRELATION_REMAINDER = 4, 3


class Administration:
    """One seed's administrator."""

    def __init__(self, cluster: SimulatedCluster) -> None:
        self._cluster = cluster
        self._random: Random = cluster.kernel.stream("administration")
        self._next_s = 0.0
        self._number = 0

    def look(self) -> None:
        """Do something when it is time."""
        cluster, random = self._cluster, self._random
        if cluster.now_s() < self._next_s:
            return
        self._next_s = cluster.now_s() + random.expovariate(EACH_S)
        topics = sorted(cluster.cluster().topics.items())
        known = [TopicPartition(topic, number) for topic, count in topics for number in range(count)]
        partitions = [where for where in known if where.topic != "__consumer_offsets"]
        if partitions:
            self._do(random.choice(KINDS), random.choice(partitions))

    def _do(self, kind: str, where: TopicPartition) -> None:
        cluster, random = self._cluster, self._random
        match kind:
            case "elect":
                cluster.begin_client(Elect(where))
            case "unclean":
                if random.random() < 0.2:
                    cluster.begin_client(Elect(where, unclean=True))
            case "partitions":
                count = min(PARTITIONS_MAX, cluster.cluster().topics[where.topic] + random.randint(1, 2))
                self._ask(CreatePartitionsRequest(topic=where.topic, count=count))
            case "config":
                change = random.choice(
                    (("min.insync.replicas", SET, str(random.randint(1, 2))), ("min.insync.replicas", DELETE, None))
                )
                self._ask(AlterConfigsRequest(resource_type=TOPIC, resource_name=where.topic, changes=(change,)))
            case "create":
                brokers = len(cluster.brokers)
                name, partitions = f"extra{random.randint(1, 3)}", random.randint(1, 2)
                made = CreateTopic(name, partitions=partitions, replicas=min(3, brokers), min_isr=min(2, brokers))
                cluster.begin_client(made)
            case "delete":
                if where.topic != TOPICS[0]:
                    self._ask(DeleteTopicRequest(topic=where.topic))
            case _:
                self._use(where)

    def _use(self, where: TopicPartition) -> None:
        cluster, random = self._cluster, self._random
        self._number += 1
        value, is_idempotent = f"x{self._number}", random.random() < 0.5
        cluster.begin_client(Produce(where, random.randint(1, 8), value=value, wait=False, idempotent=is_idempotent))
        if random.random() < 0.3:
            cluster.begin_client(Consume(where, 0, wait=False))

    def _ask(self, request: Message) -> None:
        """In the name of the clients' own address, over their connection."""
        self._number += 1
        correlation = self._number * CORRELATION_STEP + CORRELATION_REMAINDER
        for controller in self._cluster.active_controllers()[:1]:
            carry = self._cluster.network.listening[FIRST_CLIENT_ID]
            carry.request(controller, Frame(FIRST_CLIENT_ID, correlation, request))


@contextmanager
def administered() -> Iterator[None]:
    """Every seed that runs within the block has an administrator."""
    at_work: dict[int, Administration] = {}

    def beside(employ: Callable[[nemesis.Nemesis], None]) -> Callable[[nemesis.Nemesis], None]:
        def both(self: nemesis.Nemesis) -> None:
            employ(self)
            if id(self) not in at_work:
                at_work[id(self)] = Administration(self._cluster)
            at_work[id(self)].look()

        return both

    patch = ((nemesis.Nemesis, "_employ", beside),)
    with planted(PlantedBug("administration", "clients", "somebody looks after topics", frozenset(), patch)):
        yield
