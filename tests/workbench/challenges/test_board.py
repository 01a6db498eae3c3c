from __future__ import annotations

import asyncio
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.simulation.lab.lab import SimulatedLab
from workbench.challenges.board import ChallengeBoard
from workbench.challenges.losses import LoseThree
from workbench.course.progress import finished_missions
from workbench.session.recording import Recording


def test_a_challenge_is_judged_while_it_is_played_and_can_be_played_again(tmp_path: Path) -> None:
    for run in ("one", "two"):
        board, recording = ChallengeBoard(LoseThree, tmp_path / "progress"), Recording()
        assert board.title == "Challenge 2" and board.done_count == 0

        async def play(board: ChallengeBoard, recording: Recording, run: str) -> None:
            (tmp_path / run).mkdir()
            lab = SimulatedLab(ClusterSpec(seed=0), tmp_path / run)
            topic = "topic orders assign=1,2,3 min-isr=1"
            for command in (topic, "partition 1|2,3", "produce orders 3 acks=1", "kill 1"):
                assert (await lab.send(command)).ok
            lab.advance(3.0)
            recording.extend(lab.poll())
            board.follow(recording)
            await lab.close()

        asyncio.run(play(board, recording, run))
        assert board.done_count == 1 and board.current is None
    assert finished_missions(tmp_path / "progress") == {"challenge-2": "3 lost"}
