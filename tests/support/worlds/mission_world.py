"""A simulated cluster with the missions beside it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.model.settings import classroom_timing
from cluster.simulation.lab.lab import SimulatedLab
from workbench.session.missions.board import Board
from workbench.session.missions.mission import Step
from workbench.session.recording import Recording

TOPIC = "topic orders assign=1,2,3 min-isr=2"


def after(folder: Path, *script: str | float, seed: int = 7, control: str = "kraft") -> Board:
    """The missions after what `played` plays."""
    return played(folder, *script, seed=seed, control=control)[0]


def played(folder: Path, *script: str | float, seed: int = 7, control: str = "kraft") -> tuple[Board, Recording]:
    """The missions and the run after commands and seconds. {led} leads the quorum when it is sent, {a} and {b} follow.

    With zookeeper {led} has /controller, and the others are brokers.
    """
    folder.mkdir(exist_ok=True)
    board, recording = Board(folder / "progress"), Recording()

    async def play() -> None:
        settings = replace(classroom_timing(), control=control)
        config = ClusterSpec(seed=seed, settings=settings, controllers=1 if settings.is_zookeeper else 3)
        lab = SimulatedLab(config, folder)
        for item in (TOPIC, 0.5, *script):
            if isinstance(item, str):
                picture = recording.live
                led, all_of = picture.quorum_leader, picture.voters
                if settings.is_zookeeper:
                    led, all_of = picture.zookeeper.controller, config.broker_ids
                others = [node for node in all_of if node != led]
                given = {"led": led, **dict(zip("ab", others, strict=False))}
                answer = await lab.send(item.format(**given))
                assert answer.ok, answer.text
            else:
                lab.advance(item)
            recording.extend(lab.poll())
            board.follow(recording)
        await lab.close()

    asyncio.run(play())
    return board, recording


def steps(board: Board, name: str) -> list[Step]:
    return next(mission for mission in board.missions if mission.name == name).progress()


def ticks(board: Board, name: str) -> list[bool]:
    return [step.is_done for step in steps(board, name)]
