"""Voters are numbers with disks."""

from __future__ import annotations

from cluster.model.voters import NO_DIRECTORY, Voter, directory_id_of


def test_each_disk_of_each_node_and_run_has_an_id_of_its_own() -> None:
    ids = {directory_id_of(run, node, start) for run in ("a", "b") for node in (101, 102) for start in range(3)}
    assert len(ids) == 12
    assert directory_id_of("a", 101, 0) == directory_id_of("a", 101, 0)


def test_another_disk_is_another_voter() -> None:
    first, second = (Voter(101, directory_id_of("a", 101, start)) for start in range(2))
    assert first != second
    assert str(first).startswith("101:")
    assert str(Voter(101, NO_DIRECTORY)) == "101"
