from __future__ import annotations

import json
import subprocess
import sys

from workbench.challenges.own_rule.child import FORBIDDEN
from workbench.challenges.own_rule.kinds import KINDS, example


def test_it_tells_each_seed_that_it_begins_and_then_one_verdict() -> None:
    order = {"kind": "acknowledge", "source": example(KINDS["acknowledge"]), "seeds": [2, 3]}
    done = subprocess.run(
        [sys.executable, "-m", "workbench.challenges.own_rule.child"],
        input=json.dumps(order) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert said == [{"seed": 2}, {"seed": 3}, {"verdict": "held", "what": ""}]


def test_a_file_that_runs_away_while_it_is_read_is_a_verdict_too() -> None:
    order = {"kind": "acknowledge", "source": "open('x')\n", "seeds": [2]}
    done = subprocess.run(
        [sys.executable, "-m", "workbench.challenges.own_rule.child"],
        input=json.dumps(order) + "\n", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(done.stdout)["verdict"] == "forbidden" and "open" in FORBIDDEN
