"""`workbench check` as a user types it, on traces written by hand."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from cluster.invariants.verdicts.ledger import Ledger
from cluster.model.entry import EventId
from cluster.model.events import ProcessReady, RunStarted
from cluster.model.identifiers import TopicPartition
from cluster.trace.entry import encode_entry
from tests.support.traces.made_runs import bad, good, recorded
from tests.support.traces.quorum_traces import led
from tests.support.traces.traces import Trace
from workbench.cli.check import assumption_lines


def check(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "workbench", "check", *arguments]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
        env=os.environ | {"COLUMNS": "80"},
    )


def test_a_good_run_ends_with_0_and_says_how_often_each_rule_was_checked(tmp_path: Path) -> None:
    done = check(str(good(tmp_path)))
    assert (done.returncode, done.stderr) == (0, "")
    assert "R1" in done.stdout and "HOLDS" in done.stdout
    assert done.stdout.splitlines()[-1].startswith("rules: ")
    assert "0 violated" in done.stdout.splitlines()[-1]


def test_a_bad_run_ends_with_1_and_names_the_events(tmp_path: Path) -> None:
    done = check(str(bad(tmp_path)))
    assert done.returncode == 1
    assert "R1 nodes 101 and 103 were both elected in epoch 1" in done.stdout
    assert "events n103-0#" in done.stdout
    assert "VIOLATED (R1, R3" in done.stdout.splitlines()[-1]


@pytest.mark.parametrize("world", ["processes", "simulated"])
def test_a_deadline_missed_on_this_machine_is_late_in_table_summary_and_exit_code(tmp_path: Path, world: str) -> None:
    trace = Trace()
    trace.add(0, RunStarted(config="{}", world=world, title="by hand"))
    trace.start(1, "broker")
    trace.add(0, ProcessReady(node_id=1, port=0))
    trace.entries[-1].t_ns += 6_000_000_000
    run = recorded(tmp_path / "run", trace.entries)
    done, told = check(str(run)), json.loads(check(str(run), "--json").stdout)
    summary = done.stdout.splitlines()[-1]
    if world == "simulated":
        assert (done.returncode, told["violated"], told["late"]) == (1, ["L8"], [])
        assert "1 VIOLATED (L8)" in summary
    else:
        assert (done.returncode, told["violated"], told["late"]) == (0, [], ["L8"])
        assert "0 violated, 1 late on this machine (L8)" in summary
        assert "VIOLATED" not in done.stdout and "LATE" in done.stdout


def test_for_machines_it_is_one_object(tmp_path: Path) -> None:
    done = check(str(bad(tmp_path)), "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    rule = next(item for item in told["rules"] if item["rule"] == "R1")
    assert rule["verdict"] == "VIOLATED" and rule["violation_count"] == 1
    assert rule["violations"][0]["events"][0][0] == 103
    assert "R1" in told["violated"]


def test_a_torn_end_is_counted_and_judged_without(tmp_path: Path) -> None:
    run = good(tmp_path)
    with (run / "trace" / "102-0.trace").open("ab") as stream:
        stream.write(b"\x00\x00\x00\x40abc")
    done = check(str(run))
    assert done.returncode == 0
    assert "a torn event of 7 bytes at the end of 102-0.trace" in done.stderr


def test_what_a_torn_end_has_taken_breaks_no_rule(tmp_path: Path) -> None:
    trace = led()
    trace.write(101, "b")
    trace.fetch(102, 101)
    gone = trace.advance(101, 3)
    trace.advance(102, 3, role="follower")
    trace.entries[-1] = replace(trace.entries[-1], cause=gone)
    run = recorded(tmp_path / "torn", [entry for entry in trace.entries if entry.id != gone])
    done = check(str(run))
    assert done.returncode == 0 and "the recording ends early: judged is what came before" in done.stderr
    assert f"the end of 101-{gone.incarnation}.trace is missing" in done.stderr
    with (run / "trace" / f"101-{gone.incarnation}.trace").open("ab") as stream:
        stream.write(b"\x00\x00\x00\x40abc")
    done = check(str(run))
    assert done.returncode == 0, done.stdout


def test_events_of_a_newer_version_are_counted(tmp_path: Path) -> None:
    entries = led().entries
    event = entries[-1].event
    data = b"".join(encode_entry(item) for item in entries if (item.node, item.incarnation) == (102, 0))
    run = recorded(tmp_path / "newer", entries)
    (run / "trace" / "102-0.trace").write_bytes(data.replace(event.name.encode(), b"x" * len(event.name)))
    done = check(str(run))
    assert "events of a newer version are left out" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "holds no events; was the run killed before it began?"),
        (b"\x00\x00\x00\x05abcde", "77-0.trace: byte 0"),
        (b"\xff\xff\xff\xff", "an entry of 4294967295 bytes"),
    ],
)
def test_a_trace_that_cannot_be_trusted_is_refused_with_4(tmp_path: Path, content: bytes, says: str) -> None:
    (tmp_path / "run" / "trace").mkdir(parents=True)
    (tmp_path / "run" / "trace" / "77-0.trace").write_bytes(content)
    done = check(str(tmp_path / "run"))
    assert done.returncode == 4
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_damaged_trace_is_judged_up_to_the_damage_on_request(tmp_path: Path) -> None:
    run = bad(tmp_path)
    files = {item.id: encode_entry(item) for item in led().entries if item.node == 102}
    data = b"".join(files.values())
    (run / "trace" / "102-0.trace").write_bytes(data[: len(data) // 2 - 7] + b"\x00" * 60)
    assert check(str(run)).returncode == 4
    done = check(str(run), "--salvage", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 0, "the violation comes after the damage"
    assert list(told["damaged"]) == ["102-0.trace"]
    assert 0 < told["events"] < len(led().entries)
    assert "102-0.trace turns to garbage" in done.stderr


def test_without_a_run_it_is_bad_usage_and_a_folder_without_one_bad_data(tmp_path: Path) -> None:
    assert check().returncode == 2
    done = check(str(tmp_path) + "/")
    assert done.returncode == 4
    assert "holds no recorded run" in done.stderr


def test_nothing_untrusted_reaches_the_terminal(tmp_path: Path) -> None:
    entries = led().entries
    run = recorded(tmp_path / "run\x1b[31m", entries)
    done = check(str(run))
    assert done.returncode == 0
    assert "\x1b" not in done.stdout + done.stderr


def test_partitions_of_one_topic_that_lost_an_assumption_for_one_reason_share_a_line() -> None:
    ledger = Ledger()
    for partition in range(50):
        ledger.breaks("A5", EventId(103, 0, partition), "one suffices", TopicPartition("offsets", partition))
    ledger.breaks("A5", EventId(103, 0, 60), "one suffices", TopicPartition("orders", 0))
    ledger.breaks("A6", EventId(1, 0, 7), "not idempotent", TopicPartition("offsets", 3))
    ledger.breaks("A4", EventId(0, 0, 0), "by high watermark")
    assert assumption_lines(ledger.broken()) == [
        "A5 (50 partitions of offsets) does not hold from n103-0#0 on: one suffices",
        "A5 (orders-0) does not hold from n103-0#60 on: one suffices",
        "A6 (offsets-3) does not hold from n1-0#7 on: not idempotent",
        "A4 does not hold from lab-0#0 on: by high watermark",
    ]
