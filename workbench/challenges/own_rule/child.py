"""The processes in which a learner's rule runs: one asks it once, then each plays small clusters with the rule in them.

They run the learner's own code. What the clusters need is imported once, before the processes part, and while the rule
is asked for the first time: a verdict is to come within seconds, on a busy machine too.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from typing import Any, NoReturn

from workbench.challenges.own_rule.guard import Guard, learners_function
from workbench.challenges.own_rule.kinds import KINDS, Kind

SEEDS = "workbench.challenges.own_rule.seeds"
"""Plays the clusters. To import it takes longer than all that a rule may do that never answers."""


ANSWERED = 17
"""How the process ends that asked and was answered; 0 when it had to say something."""


def ask_once(channel: int, kind: Kind, source: str) -> NoReturn:
    """Run the file and ask the rule for one quiet moment; says only what went wrong."""
    guard = Guard(channel)
    guard.set_up(source)
    learners_function(guard, kind, source)(**kind.quiet)
    os._exit(ANSWERED)


def main() -> None:
    """Read one order from stdin: each channel gets a process that plays its part of the seeds. Tell how it ended."""
    order = json.loads(sys.stdin.readline())
    kind, source, parts = KINDS[order["kind"]], order["source"], order["parts"]
    first = parts[0][0]
    asked = os.fork()
    if asked == 0:
        ask_once(first, kind, source)
    seeds: Any = importlib.import_module(SEEDS)
    _, status = os.waitpid(asked, 0)
    if (code := os.waitstatus_to_exitcode(status)) != ANSWERED:
        Guard(first).tell(ended=code)
        return
    playing: dict[int, int] = {}
    for channel, part in parts:
        child = os.fork()
        if child == 0:
            seeds.play(channel, kind, source, part)
        playing[child] = channel
    while playing:
        child, status = os.wait()
        Guard(playing.pop(child)).tell(ended=os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
