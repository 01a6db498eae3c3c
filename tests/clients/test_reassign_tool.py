"""Kafka's own kafka-reassign-partitions moves replicas, lists what moves, verifies and cancels."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.support.clients.driver import Unable
from tests.support.clients.living_lab import LivingLab
from tests.support.clients.quorum_tool import QuorumTool
from tests.support.processes.watching import until

pytestmark = pytest.mark.slow
COMMAND = "org.apache.kafka.tools.reassign.ReassignPartitionsCommand"


def test_the_tool_executes_verifies_lists_and_cancels(lab: LivingLab, tmp_path: Path) -> None:
    try:
        tool = QuorumTool(lab.bootstrap, COMMAND)
    except Unable as reason:
        pytest.skip(str(reason))
    lab.do("topic moved assign=1,2")
    lab.do("produce moved 20")
    plan = tmp_path / "plan.json"

    def write(*replicas: int) -> None:
        partitions = [{"topic": "moved", "partition": 0, "replicas": list(replicas)}]
        plan.write_text(json.dumps({"version": 1, "partitions": partitions}), "utf-8")

    def run(verb: str, *words: str) -> str:
        code, told = tool.run(verb, *words)
        assert code == 0, told
        return told

    write(2, 3)
    file = "--reassignment-json-file", str(plan)
    assert "Successfully started partition reassignment for moved-0" in run("--execute", *file)
    done = re.compile(r"moved-0 is (complete|completed)")
    until(lambda: done.search(run("--verify", *file, "--preserve-throttles")) is not None, what="the move is done")
    assert "No partition reassignments found." in run("--list")
    lab.do("cut 2-1")
    write(2, 1)
    run("--execute", *file)
    assert "moved-0: replicas: 2,1,3. adding: 1. removing: 3" in run("--list")
    cancelled = run("--cancel", *file, "--preserve-throttles")
    assert "Successfully cancelled partition reassignment for: moved-0" in cancelled
    assert "No partition reassignments found." in run("--list")
    lab.do("heal")


def test_the_tool_hears_that_a_broker_has_no_other_folder(lab: LivingLab, tmp_path: Path) -> None:
    try:
        tool = QuorumTool(lab.bootstrap, COMMAND)
    except Unable as reason:
        pytest.skip(str(reason))
    lab.do("topic lies assign=1")
    plan = tmp_path / "plan.json"

    def run(folder: Path) -> str:
        partition = {"topic": "lies", "partition": 0, "replicas": [1], "log_dirs": [str(folder)]}
        plan.write_text(json.dumps({"version": 1, "partitions": [partition]}), "utf-8")
        return tool.run("--execute", "--reassignment-json-file", str(plan), "--timeout", "0")[1]

    assert "Successfully started moving log directory" in run(lab.folder / "data" / "1")
    assert "LogDirNotFoundException" in run(tmp_path)
