"""A simulated cluster with the missions beside it."""

from __future__ import annotations

import asyncio
from pathlib import Path

from cluster.simulation.lab.lab import SimulatedLab
from cluster.simulation.world.cluster import SimulationConfig
from workbench.session.missions.board import Board
from workbench.session.missions.mission import Step
from workbench.session.recording import Recording

TOPIC = "topic orders assign=1,2,3 min-isr=2"


def after(folder: Path, *script: str | float, seed: int = 7) -> Board:
    """The missions after commands and seconds. {led} leads the quorum when it is sent, {a} and {b} follow."""
    board, recording = Board(folder / "progress"), Recording()

    async def play() -> None:
        lab = SimulatedLab(SimulationConfig(seed=seed), folder)
        for item in (TOPIC, 0.5, *script):
            if isinstance(item, str):
                picture = recording.live
                others = [node for node in picture.voters if node != picture.quorum_leader]
                given = {"led": picture.quorum_leader, **dict(zip("ab", others, strict=False))}
                answer = await lab.send(item.format(**given))
                assert answer.ok, answer.text
            else:
                lab.advance(item)
            recording.extend(lab.poll())
            board.follow(recording)
        await lab.close()

    asyncio.run(play())
    return board


def steps(board: Board, name: str) -> list[Step]:
    return next(mission for mission in board.missions if mission.name == name).progress()


def ticks(board: Board, name: str) -> list[bool]:
    return [step.is_done for step in steps(board, name)]
