"""The story of a controller in zookeeper mode."""

from __future__ import annotations

from pathlib import Path

from tests.support.traces.played import told
from tests.support.worlds.mission_world import played
from workbench.session.story.story import Story


def story_of(folder: Path, *script: str | float) -> Story:
    _, recording = played(folder, *script, control="zookeeper")
    return told(list(recording.entries))[0]


def steps(story: Story, head: str) -> list[str]:
    """What followed, of the newest incident that begins so."""
    found = [item for item in story.incidents if item.head.said[-1].text.startswith(head)]
    return [line.said[-1].text for line in found[-1].steps if line.level == "story"]


def test_a_controller_that_dies_is_followed_by_the_winner_of_a_race(tmp_path: Path) -> None:
    story = story_of(tmp_path, "kill {led}", 5.0)
    told_of = steps(story, "You killed")
    over = next(place for place, text in enumerate(told_of) if text.endswith("is over: /controller is free"))
    assert "controls, controller epoch 2" in told_of[over + 1]


def test_a_session_of_a_broker_that_controls_nothing_frees_nothing(tmp_path: Path) -> None:
    told_of = steps(story_of(tmp_path, "kill {a}", 5.0), "You killed")
    assert any(text.endswith("is over") for text in told_of)
    assert not any("controls" in text or "/controller" in text for text in told_of)


def test_a_zombie_that_is_refused_is_told(tmp_path: Path) -> None:
    script = ("cut {led}>{a}", "topic late assign=1,2,3", "pause {led}", 5.0, "heal", 2.0)
    story = story_of(tmp_path, *script)
    assert any("which is no controller any more" in moment.text for moment in story.moments)


def test_a_broker_whose_znode_is_there_again_is_in_service_and_the_incident_ends(tmp_path: Path) -> None:
    story = story_of(tmp_path, "kill {a}", 5.0, "start {a}", 5.0)
    assert any("is in service again" in text for text in steps(story, "n1 came back"))
    assert [item.head.said[-1].text for item in story.incidents if not item.is_over] == []
