from __future__ import annotations

from pathlib import Path

from cluster.model.entry import Entry
from cluster.scenario.parse import parse_script
from workbench.challenges.playing import play_script
from workbench.runs.launch import WorldChoice


def test_every_event_is_shown_and_the_step_that_does_not_hold_is_told(tmp_path: Path) -> None:
    seen: list[Entry] = []
    script = parse_script("cluster controllers=1 brokers=1\nwait leader of quorum\nexpect node 1 down within 1s\n")
    played = play_script(script, "so", tmp_path, WorldChoice(simulated=True, seed=1), seen.append)
    assert not played.held and played.failure.startswith("line 3: expect node 1 down")
    assert len(seen) > 20 and len(played.folders) == 1
