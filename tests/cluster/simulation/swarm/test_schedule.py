"""A run is its schedule: played again, by whichever hand, it is the same to the byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.simulation.lab.headless import HeadlessLab
from cluster.simulation.lab.journal import FILE, Journal, read_journal
from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.lab.stepper import Stepper
from cluster.simulation.swarm.schedule import Player, Schedule, play
from cluster.simulation.swarm.seed import run
from cluster.simulation.world.cluster import SimulatedCluster
from cluster.simulation.world.recording import Fingerprint
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.traces.watched import at_once

SEEDS = (3, 7, 25)


def _told_by_a_bare_cluster(schedule: Schedule) -> str:
    cluster, fingerprint = SimulatedCluster(schedule.config, observes=False), Fingerprint()
    cluster.recording.readers.append(fingerprint)
    cluster.begin()
    play(schedule.timed, schedule.end_ns, Player(cluster))
    cluster.finish()
    return str(fingerprint)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_seed_of_the_swarm_is_its_schedule(seed: int, tmp_path: Path) -> None:
    fingerprint = Fingerprint()
    seen = run(seed, 3.0, [fingerprint])
    schedule = seen.schedule
    assert len(schedule.timed) > 5
    assert _told_by_a_bare_cluster(schedule) == str(fingerprint)

    inner = SimulatedLab(schedule.config, tmp_path, observes=False)
    by_lab = Fingerprint()
    inner.cluster.recording.readers.append(by_lab)
    began: list[Entry] = inner.poll()
    lab = HeadlessLab(inner)
    for at_ns, command in schedule.timed:
        lab.let_pass(at_ns)
        lab.carry_out(command)
    lab.let_pass(schedule.end_ns)
    at_once(lab.close())
    whole = [*began, *inner.poll()]
    again = Fingerprint()
    again(whole)
    assert str(again) == str(fingerprint)


def test_a_headless_run_is_made_anew_from_its_journal(tmp_path: Path) -> None:
    schedule = run(28, 3.0).schedule
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
    lab = HeadlessLab(SimulatedLab(schedule.config, tmp_path / "first"))
    for at_ns, command in schedule.timed:
        lab.let_pass(at_ns)
        lab.carry_out(command)
    lab.let_pass(schedule.end_ns)
    at_once(lab.close())
    journal = read_journal(tmp_path / "first" / FILE)
    assert journal[-1].is_end
    assert len(journal) == 1 + len(schedule.timed)

    second = SimulatedLab(schedule.config, tmp_path / "second")
    stepper = Stepper(second, Journal())
    stepper.retrace(journal, journal[-1].events)
    while stepper.events < journal[-1].events:
        assert stepper.move()
    stepper.drop()
    at_once(second.close())
    first, again = (
        [encode_entry(entry) for entry in read_all(tmp_path / name / "trace")] for name in ("first", "second")
    )
    assert len(first) > journal[-1].events > 500
    assert first[: journal[-1].events] == again[: journal[-1].events]
