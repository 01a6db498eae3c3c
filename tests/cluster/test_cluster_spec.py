from dataclasses import replace

from cluster.cluster_spec import ClusterSpec, Options


def test_controllers_are_numbered_apart_from_brokers_unless_they_share_processes() -> None:
    apart, combined = ClusterSpec(brokers=2), ClusterSpec(brokers=4, combined=True)
    assert (apart.voters, apart.broker_ids, apart.nodes) == ((101, 102, 103), (1, 2), (101, 102, 103, 1, 2))
    assert (combined.voters, combined.broker_ids, combined.nodes) == ((1, 2, 3), (1, 2, 3, 4), (1, 2, 3, 4))


def test_what_makes_another_run_makes_another_id() -> None:
    spec = ClusterSpec(seed=7)
    others = [replace(spec, brokers=2), replace(spec, title="Another"), replace(spec, options=Options(loss=0.01))]
    assert spec.run.startswith("seed-7-") and spec.run == ClusterSpec(seed=7).run
    assert len({spec.run, *(other.run for other in others)}) == 4


def test_what_is_given_leaves_the_id_as_it_was() -> None:
    assert replace(ClusterSpec(), given=("leader 102",)).run == ClusterSpec().run


def test_only_what_no_connection_does_is_unkind() -> None:
    assert not Options(latency_us=(1, 1_000_000)).is_unkind
    assert Options(loss=0.01).is_unkind and Options(duplicate=0.01).is_unkind and Options(reorder=0.01).is_unkind
