"""The end of a run in order is no part of what it went through."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.paced_world import TOPIC, Watched, played
from workbench.session.comparison import read_world
from workbench.session.lived import lived_until_ns
from workbench.tui.drawing.canvas import Canvas, Rect
from workbench.tui.panes.world import Axis, draw_lanes, draw_world_logs


def test_a_world_stands_before_its_nodes_were_ended_with_it(tmp_path: Path) -> None:
    """All its nodes were down there, as if they had died: beside a run that goes on that was a difference."""

    async def play() -> None:
        world = Watched(tmp_path)
        await world.send(TOPIC)
        await world.send("produce orders 3 acks=all")
        await world.send("kill 3")
        world.seconds(2)
        recording = world.session.recording
        assert lived_until_ns(recording) == recording.timeline.end_ns, "it lives"
        await world.session.end_lab()
        there = read_world(world.lab.run_folder)
        assert lived_until_ns(there.recording) < there.recording.timeline.end_ns
        there.recording.seek_time(there.at(there.length_ns))
        up = [node for node, known in there.recording.view.nodes.items() if 0 < node < 1000 and known.is_up]
        assert sorted(up) == [1, 2, 101, 102, 103], "who was killed is down"
        canvas = Canvas(70, 12)
        draw_lanes(canvas.area(Rect(0, 0, 70, 6)), there, Axis(0, there.length_ns, 50), there.partition, 5)
        draw_world_logs(canvas.area(Rect(0, 7, 70, 3)), there, there.partition, 3)
        rows = canvas.text_rows()
        assert [row.count("\u00d7") > 0 for row in rows if row.startswith("  n")][:3] == [False, False, True]
        assert [row[0] for row in rows[7:10]].count("\u2717") == 1
        there.recording.close()

    played(play)
