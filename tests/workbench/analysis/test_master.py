"""What a master URL says about where the machines of a session are."""

from __future__ import annotations

import socket
from pathlib import Path

import pytest

from workbench.analysis.master import check_master, check_reachable, is_local, stays_here
from workbench.support.refusal import ENVIRONMENT, USAGE, Refusal


@pytest.mark.parametrize(
    "master",
    [
        "local", "local[2]", "spark://127.0.0.1:7077", "spark://127.8.9.10:7077", "spark://localhost:7077",
        "spark://LOCALHOST:7077", "spark://[::1]:7077", "spark://[::ffff:127.0.0.1]:7077",
        "spark://localhost:7077,127.0.0.1:7078",
    ],
)  # fmt: skip
def test_a_master_that_is_named_by_loopback_has_all_its_machines_here(master: str) -> None:
    assert stays_here(master)


@pytest.mark.parametrize(
    "master",
    [
        "spark://192.0.2.7:7077", "spark://localhost:7077,192.0.2.7:7077", "spark://no-such-host.invalid:7077",
        "spark://", "spark://[::1:7077", "yarn", "k8s://https://127.0.0.1:6443", "spark://127.0.0.1.nip.invalid:7077",
    ],
)  # fmt: skip
def test_any_other_master_may_have_machines_elsewhere(master: str) -> None:
    assert not stays_here(master)


def test_the_name_of_this_machine_counts_by_where_it_leads() -> None:
    try:
        found = {str(item[4][0]) for item in socket.getaddrinfo(socket.gethostname(), None)}
    except OSError:
        pytest.skip("this machine cannot look up its own name")
    assert stays_here(f"spark://{socket.gethostname()}:7077") == all(
        address.startswith("127.") or address == "::1" for address in found
    )


def test_what_no_session_can_be_made_on_is_refused_in_our_own_words() -> None:
    for master in ("sc://localhost", "SC://h:1", "", " "):
        with pytest.raises(Refusal) as refused:
            check_master(master)
        assert refused.value.code == USAGE
    for usable in (None, "local[2]", "spark://h:1", "yarn", "nonsense"):
        check_master(usable)


def test_a_master_at_which_nothing_answers_is_refused_before_java_is_started() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken, socket.create_server(("127.0.0.1", 0)) as listening:
        gone, there = (f"127.0.0.1:{item.getsockname()[1]}" for item in (taken, listening))
        taken.close()
        with pytest.raises(
            Refusal, match=f"nothing answers at 'spark://{gone}' .Connection refused.: start it"
        ) as told:
            check_reachable(f"spark://{gone}")
        assert told.value.code == ENVIRONMENT
        check_reachable(f"spark://{gone},{there}")
    for other in ("local[2]", "yarn", "spark://", "spark://h", "spark://[::1:7077", "spark://h:99999"):
        check_reachable(other)


ON_THIS_MACHINE = {
    "spark.default.parallelism", "spark.sql.shuffle.partitions", "spark.driver.memory", "spark.sql.adaptive.enabled",
    "spark.sql.optimizer.dynamicPartitionPruning.enabled", "spark.driver.extraJavaOptions", "spark.local.dir",
}  # fmt: skip


def test_only_threads_of_this_machine_are_told_how_many_and_how_large(tmp_path: Path) -> None:
    """The configuration of a cluster is its user's."""
    from workbench.analysis.spark import LOOPBACK, Place, settings

    here = settings(Place(tmp_path), "local[2]", 2)
    assert set(here) >= ON_THIS_MACHINE and here["spark.authenticate"] == "true"
    near = settings(Place(tmp_path), "spark://localhost:7077", 2)
    far = settings(Place(tmp_path), "spark://192.0.2.7:7077", 2)
    assert not ON_THIS_MACHINE & {*near, *far}
    assert [is_local(item) for item in ("local[2]", "spark://localhost:7077")] == [True, False]
    bound = {"spark.driver.host": LOOPBACK, "spark.driver.bindAddress": LOOPBACK}
    assert near.items() >= bound.items() and here.items() >= bound.items()
    assert not far.keys() & bound.keys()
