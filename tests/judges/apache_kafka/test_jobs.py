"""What clients of a script do, against brokers of ours: they speak the same protocol."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from cluster.faults.grammar import parse_command
from cluster.lab import Answer
from cluster.model.errors import ErrorCode
from cluster.model.events import Event, OperationFailed, OperationSucceeded
from cluster.model.settings import classroom_timing
from cluster.runtime.run.folder import read_facts
from cluster.scenario.parse import parse_cluster
from judges.apache_kafka.client import KafkaClient
from judges.apache_kafka.jobs import Job, Jobs
from tests.support.processes.watching import until_async
from workbench.runs.launch import process_launcher

pytestmark = pytest.mark.processes


class Clients:
    def __init__(self, ports: dict[int, int]) -> None:
        self.events: list[Event] = []
        brokers = sorted(ports)
        self.jobs = Jobs(KafkaClient(ports), classroom_timing(), lambda: brokers, self.tell)

    def tell(self, _node: int, event: Event) -> None:
        self.events.append(event)

    async def do(self, text: str) -> Answer:
        command = parse_command(text)
        assert isinstance(command, Job)
        return await self.jobs.do(command)

    def newest(self, kind: type[Event]) -> Event:
        return [event for event in self.events if isinstance(event, kind)][-1]


@asynccontextmanager
async def clients(tmp_path: Path) -> AsyncIterator[Clients]:
    lab = await process_launcher(tmp_path)(parse_cluster(["controllers=1", "brokers=2"]), "jobs")
    try:
        ports = await until_async(lambda: read_facts(lab.run_folder).client_ports)
        yield Clients(dict(ports))
    finally:
        await lab.close()


@pytest.mark.first
async def test_clients_write_read_delete_and_elect(tmp_path: Path) -> None:
    async with clients(tmp_path) as some:
        assert (await some.do("topic orders assign=1,2 min-isr=2")).ok
        assert (await some.do("topic orders assign=1,2")).text == "refused: TOPIC_ALREADY_EXISTS"
        assert (await some.do("produce orders 5 batch=2")).text == "5 of 5 records acknowledged"
        assert (await some.do("produce orders 1 idempotent=on")).text == "1 of 1 records acknowledged"
        assert (await some.do("consume orders from=1")).text == "5 records read"
        read = some.newest(OperationSucceeded)
        assert isinstance(read, OperationSucceeded)
        assert (read.function, read.base_offset, read.count) == ("consume", 1, 5)
        assert (await some.do("consume orders from=9")).text == "refused: OFFSET_OUT_OF_RANGE"
        assert (await some.do("delete-records orders-0 4")).text == "orders-0 begins at offset 4"
        assert (await some.do("consume orders")).text == "2 records read"
        assert (await some.do("reassign orders-0 2,1")).text == "orders-0 is on its way"
        assert (await some.do("reassign orders-0 7")).text == "refused: INVALID_REPLICA_ASSIGNMENT"
        assert (await some.do("reassign orders-0 1,2")).ok
        assert (await some.do("alter orders min-isr=1")).text == "topic orders has min.insync.replicas=1"
        assert not (await some.do("elect orders-0")).ok
        refused = some.newest(OperationFailed)
        assert isinstance(refused, OperationFailed)
        assert (refused.function, refused.error) == ("elect", ErrorCode.ELECTION_NOT_NEEDED)
