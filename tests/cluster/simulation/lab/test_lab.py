"""A simulated cluster behind the door of every lab: its folder, its bytes, and every lesson on it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from cluster.cluster_spec import ClusterSpec
from cluster.lab import TimedLab
from cluster.model.events import LessonStep, ProcessReady
from cluster.simulation.lab.lab import SimulatedLab
from cluster.trace.entry import encode_entry
from cluster.trace.reader import read_all
from tests.support.traces.watched import at_once

ROOT = Path(__file__).parents[4]
CHILD = """
import hashlib, sys
sys.path[:0] = ["tests/cluster/simulation", "tests/cluster/simulation/world"]
from pathlib import Path
from tests.support.traces.watched import at_once
from test_cluster import STORY
from cluster.cluster_spec import ClusterSpec
from cluster.simulation.lab.lab import SimulatedLab
Path(sys.argv[1]).mkdir()
lab = SimulatedLab(ClusterSpec(seed=11), Path(sys.argv[1]))
for text in STORY:
    at_once(lab.send(text))
    lab.advance(0.4)
at_once(lab.close())
whole = hashlib.sha256()
for path in sorted((Path(sys.argv[1]) / "trace").iterdir()):
    whole.update(path.name.encode() + path.read_bytes())
print(whole.hexdigest())
"""


def test_the_trace_is_the_same_to_the_byte_whatever_the_hash_seed(tmp_path: Path) -> None:
    children = []
    for number in "012":
        environment = {**os.environ, "PYTHONHASHSEED": number}
        command = [sys.executable, "-c", CHILD, str(tmp_path / number)]
        children.append(subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True))
    told = [child.communicate()[0] for child in children]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert len(set(told)) == 1
    assert len(told[0].strip()) == 64


def test_what_a_lab_tells_is_what_it_writes(tmp_path: Path) -> None:
    lab = SimulatedLab(ClusterSpec(seed=1), tmp_path)
    assert isinstance(lab, TimedLab)
    at_once(lab.send("topic orders"))
    entries = lab.poll()
    assert lab.poll() == []
    lab.note(LessonStep(step=1, text="kill 1"), "script")
    at_once(lab.send("kill 1"))
    lab.advance(1)
    at_once(lab.pass_time(1))
    at_once(lab.close())
    at_once(lab.close())
    told = [encode_entry(entry) for entry in (*entries, *lab.poll())]
    assert told == [encode_entry(entry) for entry in read_all(tmp_path / "trace")]


def test_a_lab_goes_on_one_step_at_a_time(tmp_path: Path) -> None:
    lab = SimulatedLab(ClusterSpec(seed=1), tmp_path)
    ready = 0
    while ready < 6:
        assert lab.step()
        ready += sum(isinstance(entry.event, ProcessReady) for entry in lab.poll())
    assert 1.08 < lab.now_s() < 1.2
    at_once(lab.close())


def test_a_node_that_ends_by_itself_leaves_its_last_words(tmp_path: Path) -> None:
    closed: list[bool] = []
    lab = SimulatedLab(ClusterSpec(seed=1), tmp_path, lambda: closed.append(True))
    at_once(lab.send("topic orders assign=1,2,3"))
    at_once(lab.send("disk-full 1"))
    at_once(lab.send("produce orders 1 retries=no"))
    at_once(lab.close())
    assert "storage failed" in (tmp_path / "logs" / "1.log").read_text()
    assert closed == [True]
