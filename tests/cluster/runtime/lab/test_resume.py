"""What a run that is over leaves unsaid, and which runs can go on."""

from __future__ import annotations

import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model import events as ev
from cluster.model.identifiers import TopicPartition
from cluster.model.settings import classroom_timing
from cluster.runtime.lab.resume import RunIsUp, WrongVersion, _keep, _prepared, resume
from cluster.runtime.run.client_login import LOGIN, make_login, read_login
from cluster.runtime.run.continuation import FILE, Continuation, post_mortem, read_continuation, write_continuation
from cluster.runtime.run.folder import SECRET, RunError, create_run, read_facts, take_lock, update_facts, write_facts
from cluster.trace.reader import read_all
from cluster.trace.writer import TraceWriter
from tests.support.fault_events import fault_fields

HERE: dict[str, Any] = {"topic": "orders", "partition": 0}


def died(home: Path, **facts: object) -> Path:
    """A run whose lab died with node 1 up, node 2 killed, one link cut and one record under way."""
    folder, lock = create_run(home, ClusterSpec(title="A title", controllers=1, brokers=2))
    os.close(lock)
    update_facts(folder, state="running", **facts)
    run = read_facts(folder).id
    lab = TraceWriter(folder / "trace" / "0-0.trace", run, 0, 0)
    lab.write(ev.RunStarted(config="{}", world="processes", title="A title"))
    for node in (1, 2):
        lab.write(ev.ProcessStarted(node_id=node, roles=("broker",), incarnation_number=0, pid=node))
    for number, kind, arguments in ((1, "Kill", "2"), (2, "Cut", "1>2"), (3, "Pause", "1")):
        lab.write(ev.FaultInjected(**fault_fields(number, kind, arguments), command=""))
        if number < 3:
            lab.write(ev.FaultApplied(**fault_fields(number, kind, arguments)))
    lab.write(ev.ProcessExited(node_id=2, incarnation_number=0, exit_code=-9, expected=True))
    lab.close()
    clients = TraceWriter(folder / "trace" / "1001-0.trace", run, 1001, 0)
    for number in (0, 1):
        clients.write(
            ev.OperationInvoked(
                client_id="producer-4", operation_id=number, function="produce", acks=-1, value="v", **HERE
            )
        )
    clients.write(ev.OperationFailed(client_id="producer-4", operation_id=0, function="produce", error=7, **HERE))
    clients.close()
    return folder


def test_what_the_dead_lab_did_not_say_is_said_at_the_instant_of_the_newest_event(tmp_path: Path) -> None:
    folder = died(tmp_path)
    newest = read_all(folder / "trace")[-1].t_ns
    post_mortem(folder).write_unsaid(folder)
    said = [entry for entry in read_all(folder / "trace") if entry.trigger == "resume"]
    assert {entry.t_ns for entry in said} == {newest + 1}
    assert [(entry.node, entry.incarnation) for entry in said] == [(0, 1)] * 4 + [(1001, 1)]
    exited, *reverted, unknown = [entry.event for entry in said]
    assert isinstance(exited, ev.ProcessExited) and exited.node_id == 1
    assert [event.fault_id for event in reverted if isinstance(event, ev.FaultReverted)] == [1, 2, 3]
    assert isinstance(unknown, ev.OperationUnknown) and unknown.operation_id == 1
    state = post_mortem(folder).state
    assert not state.faults and not state.open_operations() and state.nodes[1].process == "down"


def test_the_next_lab_counts_on(tmp_path: Path) -> None:
    folder = died(tmp_path)
    told = post_mortem(folder)
    told.write_unsaid(folder)
    write_continuation(folder, told.continuation())
    before = read_continuation(folder)
    assert before.starts == {0: 2, 1: 1, 2: 1, 1001: 2}
    assert (before.fault_count, before.client_count, before.was_ended) == (3, 4, False)
    assert before.is_resumption and not Continuation().is_resumption


def test_who_never_said_a_word_was_started_all_the_same(tmp_path: Path) -> None:
    """The clients of a life in which nobody asked anything leave an empty file, and the next life needs another."""
    folder = died(tmp_path)
    (folder / "trace" / "1001-7.trace").touch()
    (folder / "trace" / "notes.trace").touch()
    starts = post_mortem(folder).continuation().starts
    assert starts[1001] == 8 and set(starts) == {0, 1, 2, 1001}


def test_a_trace_that_says_its_end_leaves_nothing_unsaid(tmp_path: Path) -> None:
    folder = died(tmp_path)
    post_mortem(folder).write_unsaid(folder)
    assert post_mortem(folder).unsaid() == ([], [])


@pytest.mark.parametrize(
    ("facts", "error", "why"),
    [
        ({"world": "simulated", "seed": 7}, RunError, "--seed 7"),
        ({"version": "2.0"}, WrongVersion, "version 2.0"),
        ({"version": "1.99"}, WrongVersion, "version 1.99"),
        ({"boot": "another"}, RunError, "started anew"),
        ({"settings": {}}, RunError, "leaves out all settings"),
    ],
)
async def test_a_run_that_cannot_go_on_is_refused_and_nothing_is_touched(
    tmp_path: Path, facts: dict[str, object], error: type[RunError], why: str
) -> None:
    folder = died(tmp_path, **facts)
    before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
    with pytest.raises(error, match=why):
        await resume(folder, detached=False)
    assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before


async def test_a_run_that_is_up_or_never_began_is_refused(tmp_path: Path) -> None:
    folder = died(tmp_path)
    lock = take_lock(folder)
    assert lock is not None
    with pytest.raises(RunIsUp):
        await resume(folder, detached=False)
    os.close(lock)
    for path in (folder / "trace").iterdir():
        path.unlink()
    with pytest.raises(RunError, match="never began"):
        await resume(folder, detached=False)


def test_what_an_older_version_wrote_is_copied_before_it_is_changed(tmp_path: Path) -> None:
    folder = died(tmp_path, version="")
    (folder / "data" / "1").mkdir()
    (folder / "data" / "1" / "log").write_bytes(b"records")
    _keep(folder, read_facts(folder))
    (folder / "data" / "1" / "log").write_bytes(b"more records")
    _keep(folder, read_facts(folder))
    kept = folder / "before-1.0"
    assert (kept / "data" / "1" / "log").read_bytes() == b"records"
    assert read_facts(kept).id == read_facts(folder).id


def test_facts_of_a_newer_version_are_read_without_what_is_new(tmp_path: Path) -> None:
    folder = died(tmp_path)
    facts = read_facts(folder)
    write_facts(folder, facts)
    text = (folder / "run.json").read_text().replace('"version": "1.2"', '"version": "1.3",\n "colour": "blue"')
    (folder / "run.json").write_text(text)
    assert read_facts(folder).version == "1.3"


def test_partitions_are_named_in_what_is_unknown(tmp_path: Path) -> None:
    _, clients = post_mortem(died(tmp_path)).unsaid()
    (event,) = clients
    assert isinstance(event, ev.OperationUnknown)
    assert TopicPartition(event.topic, event.partition) == TopicPartition("orders", 0)


@pytest.mark.parametrize("name", ["nodes/1.json", "logs/1.log", "data/1", "continuation.json"])
async def test_a_run_that_holds_a_link_is_refused_because_nodes_would_write_through_it(
    tmp_path: Path, name: str
) -> None:
    folder = died(tmp_path / "home")
    precious = tmp_path / "precious"
    precious.write_text("kept")
    (folder / name).symlink_to(precious)
    with pytest.raises(RunError, match=f"it holds a link, '{name}'"):
        await resume(folder, detached=False)
    assert precious.read_text() == "kept"


def test_a_run_goes_on_with_secrets_that_whoever_had_its_folder_does_not_know(tmp_path: Path) -> None:
    folder = died(tmp_path)
    update_facts(folder, settings=asdict(replace(classroom_timing(), client_auth=True)))
    make_login(folder)
    before = (folder / SECRET).read_text(), read_login(folder).password
    told = post_mortem(folder)
    _prepared(folder, read_facts(folder), told, detached=False)
    after = (folder / SECRET).read_text(), read_login(folder).password
    assert len(bytes.fromhex(after[0])) == 32 and after[0] != before[0] and after[1] != before[1]
    assert all((folder / name).stat().st_mode & 0o777 == 0o600 for name in (SECRET, LOGIN))


def test_what_a_lab_counts_on_from_is_written_and_read_through_no_link(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    (tmp_path / FILE).symlink_to(tmp_path / "mine")
    with pytest.raises(OSError, match="links are not followed"):
        read_continuation(tmp_path)
    write_continuation(tmp_path, Continuation(fault_count=3))
    assert (tmp_path / "mine").read_text() == "mine"
    assert read_continuation(tmp_path).fault_count == 3
