"""Scripts in our simulation, and in Apache Kafka where its jars are."""

import os
from pathlib import Path

import pytest

from judges.apache_kafka.cases import Case, cases_of
from judges.apache_kafka.compare import compared
from judges.apache_kafka.jars import KAFKA as VARIABLE
from judges.apache_kafka.jars import Jars, jars_of
from judges.apache_kafka.playing import KAFKA, SIMULATION, played

SCENARIOS = Path(__file__).parents[2] / "scenarios"
NO_JARS = Jars(Path("/nowhere"), Path("/nowhere"), "0")


def case_of(name: str) -> Case:
    return cases_of(next(SCENARIOS.glob(f"{name}*.txt")))[0]


async def test_a_simulation_shows_its_moments(tmp_path: Path) -> None:
    found = await played(case_of("p01"), SIMULATION, tmp_path, NO_JARS)
    assert not found.failed
    assert [moment.after for moment in found.moments] == ["kill 1", "start 1", "elect orders-0"]
    assert [moment.answers["partition epoch of orders-0"] for moment in found.moments] == ["1", "2", "3"]
    assert found.moments[0].answers["log end of orders-0 on 1"] == "5", "a node that is down has its log"


@pytest.mark.slow
@pytest.mark.clients
@pytest.mark.skipif(not os.environ.get(VARIABLE), reason=f"{VARIABLE} names no folder with the jars of Apache Kafka")
@pytest.mark.parametrize("name", ["p01", "p13", "r02"])
async def test_apache_kafka_gives_the_same_answers(name: str, tmp_path: Path) -> None:
    case, jars = case_of(name), jars_of(None)
    worlds = {world: await played(case, world, tmp_path, jars) for world in (SIMULATION, KAFKA)}
    found = compared(case.name, worlds, ())
    assert found.differences == ()
    assert found.moments > 0
