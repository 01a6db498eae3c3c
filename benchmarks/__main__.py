"""`python -m benchmarks [NAME ...]`: all measurements, or the named ones."""

from __future__ import annotations

import importlib
import os
import sys
import time
import traceback

from benchmarks.report import machine

PARTS = {
    "commits": "commits a second, beside PySyncObj",
    "synced": "the same with every replica syncing its disk first",
    "ready": "from the launch to the first commit",
    "history": "the start of a node against the length of its metadata log",
    "reopen": "ten million records on disk: ready after a kill, beside an empty broker",
    "failover": "kill -9 to the next commit",
    "takeover": "a new controller until it can decide, with KRaft and with ZooKeeper",
    "idle": "what a cluster costs that does nothing",
    "screen": "from an event to the screen",
    "idle-screen": "what moves on the screen of an idle lab, and what that costs",
    "panes": "a frame of one widget, beside a widget for each pane",
    "recordings": "long recordings on screen, and the memory of screen and lab",
    "kafka-codec": "Kafka's protocol, read and written, beside kio",
    "clients": "librdkafka at the brokers: records a second, and to a consumer",
    "simulator": "the simulated world on one core",
    "calls": "calls for each event of a simulated run, and what is loaded: counts that no load can spoil",
    "planted": "seeds until the swarm catches each planted bug",
    "tab": "the program in a browser tab, beside this Python and a terminal",
    "own-rule": "a learner's own rule, from its file to the verdict",
    "analysis": "events read and added up on Spark, beside DuckDB and Polars on the same files",
    "campaign": "a campaign on Spark, beside a process pool, on 1 to 4 cores",
    "checker": "events judged a second, and memory",
}


def main(names: list[str]) -> int:
    """Run the parts in order; the exit code."""
    unknown = [name for name in names if name not in PARTS]
    if unknown:
        sys.stderr.write(f"no measurement {unknown[0]}; there are {', '.join(PARTS)}\n")
        return 2
    print(f"{machine()}, {os.cpu_count()} cores")
    failed = []
    for name in names or PARTS:
        print(f"\n{name}: {PARTS[name]}", flush=True)
        began = time.monotonic()
        try:
            importlib.import_module(f"benchmarks.{name.replace('-', '_')}").run()
        except Exception:  # what one measurement meets must not cost the hours of the others
            traceback.print_exc()
            failed.append(name)
        print(f"  ({time.monotonic() - began:.0f} s)", flush=True)
    if failed:
        sys.stderr.write(f"failed: {', '.join(failed)}\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
