"""Each switch that brings back an old way is played for longer than every deadline: its bug is no broken promise."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from cluster.invariants.verdicts.verdict import Verdict
from cluster.model.settings import OLD_WAYS
from cluster.scenario.main import read_script
from cluster.scenario.runner import ScriptRunner
from cluster.scenario.script import ClusterPlan, Script, Section
from cluster.simulation.lab.headless import HeadlessLab
from workbench.runs.judgement import judge
from workbench.runs.launch import WorldChoice

FOLDER = Path(__file__).parent
LONGER_S = 150.0
"""Than every deadline of these scripts; the longest are three sessions of ZooKeeper, and the minute of rule L11."""
PLAYS: dict[tuple[str, bool | int | str], tuple[str, ...]] = {
    ("truncation_mode", "hw"): ("p06", "p08_classic"),
    ("truncation_mode", "kip101"): ("p07_no_loss_kip101", "p10_kip279_kip101"),
    ("truncation_mode", "kip279"): ("p10_kip279_kip279",),
    ("voter_change_waits", False): ("v04", "v05"),
    ("voter_directories", False): ("v03",),
    ("transaction_verification", False): ("t05", "t06"),
    ("transaction_version", 1): ("t03", "t04"),
    ("broker_epochs", False): ("z02", "z05"),
    ("controller_epoch_check", False): ("z03",),
    ("zookeeper_max_in_flight_requests", 1): ("z04",),
    ("pre_vote", False): ("r04",),
    ("elr", False): ("p25",),
    ("hw_gate", False): ("p12",),
    ("lag_max_messages", 4000): ("p14",),
}
"""Setting and value to scripts, by the begin of their names. A script that shows what the correction does goes another
way without it; what is judged holds all the same."""
KEEP_ALL = {"truncation_mode", "voter_directories", "transaction_version", "controller_epoch_check",
            "zookeeper_max_in_flight_requests", "pre_vote", "elr", "hw_gate", "lag_max_messages"}  # fmt: skip
"""Switches with a value that keeps every rule, or breaks an assumption only where something happens."""
OF_ZOOKEEPER = ("broker_epochs", "controller_epoch_check", "zookeeper_max_in_flight_requests")


def clusters(script: Script) -> Iterator[tuple[Section, ...]]:
    """The sections of each cluster that a script starts."""
    sections: list[Section] = []
    for section in script.sections:
        if section.plan is not None and sections:
            yield tuple(sections)
            sections = []
        sections.append(section)
    yield tuple(sections)


async def violated_with(way: tuple[str, bool | int | str], sections: tuple[Section, ...], home: Path) -> list[str]:
    """Play one cluster of a script with a switch, take all trouble back, and let much time pass."""
    plan = sections[0].plan
    assert plan is not None
    overrides = tuple({**dict(plan.overrides), way[0]: way[1]}.items())
    plan = replace(plan, overrides=overrides)
    sections = (replace(sections[0], plan=plan), *sections[1:])
    launch, labs = WorldChoice(simulated=True).launcher(home, 1.0), []

    async def launched(plan: ClusterPlan, title: str) -> HeadlessLab:
        lab = await launch(plan, title)
        assert isinstance(lab, HeadlessLab)
        labs.append(lab)
        return lab

    runner = ScriptRunner(Script(sections), launched, lambda _step: None, title=way[0])
    for section in sections:
        await runner.play(section)
    lab = labs[0]
    await lab.send("heal")
    for seconds in (5.0, LONGER_S):  # who dies at its first start is started once more
        for node in sorted(plan.spec("").nodes):
            await lab.send(f"resume {node}")
            await lab.send(f"start {node}")
        await lab.pass_time(seconds)
    await lab.close()
    return [
        f"{line.info.id} {line.violations[0].sentence}"
        for line in judge(lab.run_folder).table
        if line.verdict is Verdict.VIOLATED
    ]


@pytest.mark.parametrize(
    ("way", "start"),
    [
        pytest.param(way, start, marks=() if way[0] == "broker_epochs" else pytest.mark.slow, id=f"{way[0]}-{start}")
        for way, starts in PLAYS.items()
        for start in starts
    ],
)
def test_what_an_old_way_breaks_is_expected_however_long_it_lasts(
    way: tuple[str, bool | int | str], start: str, tmp_path: Path
) -> None:
    paths = sorted(FOLDER.glob(f"{start}*.txt"))
    assert paths, start
    for sections in (sections for path in paths for sections in clusters(read_script(path))):
        plan = sections[0].plan
        is_about = plan is not None and (
            dict(plan.overrides).get("control") == "zookeeper" or way[0] not in OF_ZOOKEEPER
        )
        if is_about:
            assert asyncio.run(violated_with(way, sections, tmp_path)) == [], sections[0].name


def test_every_old_way_that_excuses_rules_is_played() -> None:
    assert {(way.setting, way.value) for way in OLD_WAYS} <= set(PLAYS)
    assert {setting for setting, _ in PLAYS} == {way.setting for way in OLD_WAYS} | KEEP_ALL
