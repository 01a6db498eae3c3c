"""From an event in a trace file to the screen: the real app on a pseudo-terminal of 200x50, a synthetic cluster.

Three processes: this one reads the terminal as fast as it can, `app` shows the run, `writer` writes events at a rate.
A time runs from the stamp in the entry to the moment the app has handed the repainted rows to the terminal.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from itertools import count
from pathlib import Path
from typing import Any

from benchmarks.report import Aim, line, percentile
from cluster.model import events as ev
from cluster.trace.writer import TraceWriter
from workbench.session.session import Session
from workbench.tui.app import WorkbenchApp
from workbench.tui.drawing.canvas import Canvas
from workbench.tui.drawing.grid import Grid
from workbench.tui.ui_state import UiState

RATES = (1_000, 20_000)
WARM_S, MEASURE_S = 2.0, 6.0
COLUMNS, ROWS = 200, 50
P50_AIM = Aim(None, 35, higher_is_better=False)
P99_AIM = Aim(141, 75, higher_is_better=False)
CPU_AIM = Aim(None, 30, higher_is_better=False)
BURST_S = 0.002
CONTROLLERS, BROKERS = (101, 102, 103), (1, 2, 3)
EVENTS_PER_RECORD = 7


def run() -> None:
    """Measure and print."""
    for rate in RATES:
        with tempfile.TemporaryDirectory(prefix="kwb-bench-") as folder:
            told = _show(Path(folder), rate)
        line(f"{rate:,} events/s, p50", told["p50_ms"], "ms", P50_AIM)
        line(f"{rate:,} events/s, p99", told["p99_ms"], "ms", P99_AIM)
        note = f"{told['frames_per_second']:.0f} repaints a second, {told['seen']:,} events"
        line(f"{rate:,} events/s, processor", told["cpu_percent"], "% of core", CPU_AIM, note)


def _show(folder: Path, rate: int) -> dict[str, Any]:
    """Run the app on a terminal of ours and drain it; what it measured."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
    environment = os.environ | {"TERM": "xterm-256color", "COLORTERM": "truecolor"}
    command = [sys.executable, "-m", "benchmarks.screen", "app", str(folder), str(rate)]
    process = subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    text = b""
    while process.poll() is None:
        if select.select([ours], [], [], 0.1)[0]:
            try:
                text = os.read(ours, 1 << 16)
            except OSError:
                break
    process.wait()
    os.close(ours)
    result = folder / "result.json"
    if not result.exists():
        raise RuntimeError(f"the app told nothing: {text[-400:]!r}")
    return measured(json.loads(result.read_text()))


def measured(found: dict[str, Any]) -> dict[str, Any]:
    """The same; RuntimeError where no frame showed an event, since there is no percentile of nothing."""
    if not found["seen"]:
        seconds, rate = MEASURE_S, found["frames_per_second"]
        raise RuntimeError(f"no event came to the screen within {seconds:g} s, at {rate:.1f} repaints a second")
    return found


class MeasuredApp(WorkbenchApp):
    """The app, noting from how many entries each frame was drawn and when the frame was out."""

    def __init__(self, folder: Path) -> None:
        session = Session(folder, None)
        super().__init__(session, UiState(session.recording, title="Benchmark"))
        self.bench_folder = folder
        self._latencies_ms: list[float] = []
        self.entries_drawn = self.entries_shown = self.repaints = 0
        self._began_s = self._began_cpu_s = 0.0

    def on_mount(self) -> None:
        """Called beside the app's own; the measurement begins once the first frames are out."""
        self.set_timer(WARM_S / 2, self.look)
        self.set_timer(WARM_S, self.begin)

    def post_display_hook(self) -> None:
        """The rows of the newest frame are out."""
        now_ns = time.monotonic_ns()
        self.repaints += 1
        fresh = self.session.recording.entries[self.entries_shown : self.entries_drawn]
        self._latencies_ms.extend((now_ns - entry.t_ns) / 1e6 for entry in fresh)
        self.entries_shown = max(self.entries_shown, self.entries_drawn)

    def look(self) -> None:
        """Be told of each frame."""
        grid = self.screen.query_one(Grid)
        draw = grid._draw

        def noted(width: int, height: int) -> Canvas:
            self.entries_drawn = len(self.session.recording.entries)
            return draw(width, height)

        grid._draw = noted

    def begin(self) -> None:
        """From now on it counts."""
        self._began_s, self._began_cpu_s, self.repaints = time.perf_counter(), time.process_time(), 0
        self._latencies_ms.clear()
        self.set_timer(MEASURE_S, self.end)  # from here: on a busy machine a start may take longer than the whole

    def end(self) -> None:
        """Say what was seen and leave."""
        took = time.perf_counter() - self._began_s
        found = {
            "p50_ms": percentile(self._latencies_ms, 0.5),
            "p99_ms": percentile(self._latencies_ms, 0.99),
            "cpu_percent": 100 * (time.process_time() - self._began_cpu_s) / took,
            "frames_per_second": self.repaints / took,
            "seen": len(self._latencies_ms),
        }
        (self.bench_folder / "result.json").write_text(json.dumps(found))
        self.exit(0)


def show(folder: Path, rate: int) -> None:
    """Be the app: follow the writer, then say how long events took."""
    (folder / "trace").mkdir()
    writer = subprocess.Popen([sys.executable, "-m", "benchmarks.screen", "writer", str(folder), str(rate)])
    try:
        MeasuredApp(folder).run()
    finally:
        writer.kill()
        writer.wait()


def write(folder: Path, rate: int) -> None:
    """Be the writer: a cluster that is up, then records that replicate, at the rate until killed."""
    writers = {
        node: TraceWriter(folder / "trace" / f"{node}-0.trace", "bench", node, 0)
        for node in (0, *CONTROLLERS, *BROKERS)
    }
    for node, event in beginning():
        writers[node].write(event, trigger="bench")
    began, done = time.perf_counter(), 0
    for offset in count():
        for node, event in of_record(offset):
            writers[node].write(event, trigger="FetchRequest from 2", lamport=done)
        done += EVENTS_PER_RECORD
        ahead_s = done / rate - (time.perf_counter() - began)
        if ahead_s > BURST_S:
            time.sleep(ahead_s)


def beginning() -> list[tuple[int, ev.Event]]:
    said: list[tuple[int, ev.Event]] = [(0, ev.RunStarted(config="{}", world="bench", title="Benchmark"))]
    for node in (*CONTROLLERS, *BROKERS):
        roles = ("controller",) if node in CONTROLLERS else ("broker",)
        said.append((0, ev.ProcessStarted(node_id=node, roles=roles, incarnation_number=0, pid=1)))
        said.append((0, ev.ProcessReady(node_id=node, port=1)))
    for node in CONTROLLERS:
        booted = ev.QuorumBooted(
            epoch=0, voted_for=-1, leader_id=-1, log_end_offset=0, last_epoch=0, voters=CONTROLLERS
        )
        said.append((node, booted))
    for node in CONTROLLERS[1:]:
        granted = ev.VoteGranted(
            epoch=1, candidate_id=101, pre_vote=False, candidate_last_epoch=0, candidate_last_offset=0,
            last_epoch=0, last_offset=0,
        )  # fmt: skip
        said.append((node, granted))
    said.append((101, ev.LeaderElected(epoch=1, epoch_start_offset=0, votes=CONTROLLERS)))
    for node in BROKERS:
        applied = ev.PartitionApplied(
            topic="orders", partition=0, leader=1, leader_epoch=0, partition_epoch=0, isr=BROKERS, elr=(),
            replicas=BROKERS, min_insync_replicas=2,
        )  # fmt: skip
        said.append((node, applied))
    became = ev.BecameLeader(
        topic="orders", partition=0, leader_epoch=0, epoch_start_offset=0, high_watermark=0, isr=BROKERS
    )
    return [*said, (1, became)]


def of_record(offset: int) -> list[tuple[int, ev.Event]]:
    """What one record makes the three brokers say."""
    end = offset + 1
    said: list[tuple[int, ev.Event]] = []
    for node in BROKERS:
        appended = ev.ReplicaAppended(
            topic="orders", partition=0, base_offset=offset, count=1, end_offset=end, leader_epoch=0,
            batches=((offset, 1, 0, f"{offset:08x}"),), role="leader" if node == 1 else "follower", size_bytes=170,
        )  # fmt: skip
        said.append((node, appended))
    for node in BROKERS[1:]:
        progress = ev.FollowerProgress(
            topic="orders", partition=0, replica_id=node, log_end_offset=end, leader_log_end_offset=end
        )
        said.append((1, progress))
    ends = tuple((node, end) for node in BROKERS)
    for node in BROKERS[:2]:
        advanced = ev.HighWatermarkAdvanced(
            topic="orders", partition=0, high_watermark=end, leader_epoch=0,
            role="leader" if node == 1 else "follower", log_end_offsets=ends if node == 1 else (),
        )  # fmt: skip
        said.append((node, advanced))
    return said


if __name__ == "__main__":
    {"app": show, "writer": write}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))
