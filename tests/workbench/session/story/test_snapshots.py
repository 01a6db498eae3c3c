"""What the story says of snapshots."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cluster.model.identifiers import NO_NODE
from cluster.model.settings import classroom_timing
from tests.support.traces.played import told
from tests.support.traces.watched import Watched
from workbench.session.story.line import DETAILS
from workbench.session.story.story import Story


@pytest.fixture(scope="module")
def story() -> Story:
    """Broker 2 is away while the others cut their metadata logs, comes back, and finds its own snapshot bad later."""
    settings = replace(
        classroom_timing(),
        metadata_log_max_record_bytes_between_snapshots=500,
        metadata_max_retention_bytes=600,
    )
    world = Watched(seed=3, controllers=1, brokers=2, settings=settings)
    world.until(lambda: world.cluster().quorum_leader != NO_NODE)
    world.do("topic orders assign=1", "kill 2", *(f"topic t{number} assign=1" for number in range(6)), "start 2")
    world.run_until(lambda: False, 3.0)
    world.do("topic last assign=1", "kill 2", "spoil-snapshot 2 flip")
    world.send("start 2")  # its log begins there, so that it cannot go on
    world.run_until(lambda: False, 1.0)
    return told(world.entries)[0]


def test_all_snapshots_of_one_offset_are_one_line_with_who_wrote_them(story: Story) -> None:
    heads = [item.head.said[-1].text for item in story.incidents if item.kind == "snapshot"]
    offsets = [text.partition(" is in")[0] for text in heads if text.startswith("All metadata below offset")]
    assert len(offsets) == len(set(offsets)) > 1
    assert any(text.endswith("snapshot of n101, n1") for text in heads)


def test_who_is_far_behind_is_sent_to_a_snapshot_and_fetches_it(story: Story) -> None:
    steps = [line.said[-1].text for item in story.incidents for line in item.steps]
    sent = next(text for text in steps if text.startswith("n2 is at metadata offset"))
    assert sent.endswith("n101 sends it to a snapshot")
    fetched = next(text for text in steps if text.startswith("n2 has fetched the snapshot of offset"))
    assert steps.index(sent) < steps.index(fetched)


def test_a_load_is_a_detail_and_a_bad_snapshot_is_none(story: Story) -> None:
    levels = {line.said[-1].text: line.level for item in story.incidents for line in item.steps}
    loads = [text for text in levels if text.startswith("n2 takes its metadata from the snapshot")]
    assert loads and all(levels[text] == DETAILS for text in loads)
    bad = "n2 finds a snapshot bad and does not use it"
    assert bad in levels and levels[bad] != DETAILS
