"""A host disk that really is full: a small file system of our own, filled to the last byte in the middle of a run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from cluster.model.events import ProcessExited, RunEnded
from cluster.model.exit_codes import STORAGE_FAILED
from cluster.runtime.run.folder import read_facts
from cluster.trace.reader import read_all
from tests.support.processes.watching import nothing_left
from workbench.runs.judgement import judge_all

pytestmark = pytest.mark.processes
STORY = """
import asyncio, os, sys
from pathlib import Path
from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.client import launch_lab
from cluster.runtime.lab.resume import resume

async def main():
    home = Path(sys.argv[1])
    lab = await launch_lab(home, ClusterSpec())
    for command in ("topic orders", "produce orders 5"):
        assert (await lab.send(command)).ok
    file = os.open(home / "fill", os.O_WRONLY | os.O_CREAT)
    try:
        while True:
            os.write(file, bytes(4096))
    except OSError:
        os.close(file)
    try:
        while True:  # there is room left in the last page of each file: nodes may find the end before the lab does
            await asyncio.wait_for(lab.send("produce orders 50 wait=no"), 20)
    except EOFError:
        await asyncio.wait_for(lab.ended(), 20)
    print(lab.failure)
    print(lab.run_folder)
    await lab.close()
    os.unlink(home / "fill")
    lab = await resume(lab.run_folder, detached=False)
    print((await lab.send("produce orders 5 acks=all")).text)
    await lab.leave(in_order=True)
    await lab.close()

asyncio.run(main())
"""
MOUNTED = 'mount -t tmpfs -o size=12m tmpfs "$1" && "$2" -c "$3" "$1" && cp -r "$1"/runs "$4"'


@pytest.mark.first
def test_the_run_ends_with_a_reason_in_its_trace_and_goes_on_once_there_is_space(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(["unshare", "-rm", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine lets nobody mount a file system of his own")
    done = subprocess.run(
        ["unshare", "-rm", "sh", "-c", MOUNTED, "sh", disk, sys.executable, STORY, tmp_path / "runs"],
        capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    reason, folder, goes_on = done.stdout.splitlines()
    assert reason == "the trace cannot be written: No space left on device; the run ends here"
    assert goes_on.startswith("5 of 5 records acknowledged")
    nothing_left(disk)
    kept = tmp_path / "runs" / Path(folder).name
    assert read_facts(kept).state == "ended"
    events = [entry.event for entry in read_all(kept / "trace")]
    assert [event.why for event in events if isinstance(event, RunEnded)] == [reason, ""]
    exits = {event.exit_code for event in events if isinstance(event, ProcessExited)}
    assert exits <= {STORAGE_FAILED, -9, 0}, "a node stops when it cannot write, or the lab ends it"
    assert judge_all([kept]).is_good
