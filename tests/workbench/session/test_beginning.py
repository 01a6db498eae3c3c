from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import read_facts
from cluster.scenario.parse import parse_script
from workbench.runs.wanted import Wanted
from workbench.session.beginning import Processes, Simulated, begin, begin_field, begin_lab
from workbench.support.refusal import Refusal

FIELD = """cluster controllers=3 brokers=2
given leader 102
topic orders replicas=2
expect leader orders-0
"""


def test_nothing_is_there_before_somebody_connects(tmp_path: Path) -> None:
    for world in (Processes(), Simulated()):
        run = begin(ClusterSpec(seed=3), world, tmp_path)
        assert run.session.lab is None and list(tmp_path.iterdir()) == []
        assert (run.seed, run.pace is None) == ((None, True) if isinstance(world, Processes) else (3, False))


async def test_a_simulated_run_may_be_begun_with_another_seed(tmp_path: Path) -> None:
    run = begin(ClusterSpec(seed=3, brokers=1, title="Two seeds"), Simulated(), tmp_path)
    for seed in (3, 4):
        lab = await run.connect(seed)
        facts = read_facts(lab.run_folder)
        assert (facts.seed, facts.title, facts.brokers) == (seed, "Two seeds", (1,))
        await lab.close()


async def test_a_field_begins_with_what_its_script_gives_and_commands(tmp_path: Path) -> None:
    run = begin_field(parse_script(FIELD), "Field", 5, Simulated(), tmp_path)
    lab = await run.connect()
    assert read_facts(lab.run_folder).spec == ClusterSpec(brokers=2, title="Field", seed=5, given=("leader 102",))
    assert run.first_commands == ("topic orders replicas=2",)
    await lab.close()


async def test_a_free_lab_is_begun_as_its_options_say(tmp_path: Path) -> None:
    options = Wanted(brokers=1, simulated=True, seed=9, beside="acks=1", load="2", data_dir=str(tmp_path))
    run = begin_lab(options)
    assert (run.seed, run.first_commands) == (9, ("topic orders replicas=1 min-isr=1", "load 2"))
    lab = await run.connect()
    assert lab.beside is not None and len(list((tmp_path / "runs").iterdir())) == 2
    await lab.close()


def test_what_stands_beside_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="--beside: "):
        begin_lab(Wanted(simulated=True, beside="nothing", data_dir=str(tmp_path / "home")))
    assert not (tmp_path / "home" / "runs").exists()
