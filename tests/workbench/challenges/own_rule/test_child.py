from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

from workbench.challenges.own_rule.kinds import KINDS, example


def said(source: str, *parts: list[int]) -> list[list[dict[str, Any]]]:
    """What the process of each part says."""
    pipes = [os.pipe() for _ in parts]
    channels = [writer for _, writer in pipes]
    order = {"kind": "acknowledge", "source": source, "parts": list(zip(channels, parts, strict=True))}
    subprocess.run(
        [sys.executable, "-m", "workbench.challenges.own_rule.child"],
        input=json.dumps(order) + "\n", text=True, check=True, pass_fds=channels,
    )  # fmt: skip
    for channel in channels:
        os.close(channel)
    lines = []
    for reader, _ in pipes:
        with os.fdopen(reader) as stream:
            lines.append([json.loads(line) for line in stream])
    return lines


def test_each_process_tells_the_seeds_that_it_begins_then_one_verdict_and_that_it_ended() -> None:
    end = [{"verdict": "held", "what": ""}, {"ended": 0}]
    found = said(example(KINDS["acknowledge"]), [2, 3], [4])
    assert found == [[{"seed": 2}, {"seed": 3}, *end], [{"seed": 4}, *end]]


def test_a_file_that_runs_away_while_it_is_read_is_a_verdict_too() -> None:
    assert said("open('x')\n", [2])[0][0]["verdict"] == "forbidden"


def test_a_rule_that_never_answers_is_told_before_any_cluster_is_made() -> None:
    """Not even what clusters are made of is loaded by then, which is most of the time until a verdict."""
    loop = f"def acknowledge({', '.join(KINDS['acknowledge'].parameters)}):\n    while True: pass\n"
    [lines] = said(loop, [2])
    assert [line.get("verdict") for line in lines] == ["loops", None] and lines[-1] == {"ended": 0}


def test_a_loop_in_c_is_ended_by_the_system() -> None:
    assert said("sum(range(10**12))\n", [2]) == [[{"ended": -26}]]
