"""A learner's own rule: from its file to the verdict, for wrong rules of each kind and for files that hold no rule."""

from __future__ import annotations

import time

from benchmarks.report import Aim, line

SEEDS = range(1, 201)
REFUTED_AIM = Aim(60, 10, higher_is_better=False)
ENDED_AIM = Aim(5, 2, higher_is_better=False)


def run() -> None:
    """Measure each and print it; one process plays the seeds, so the time does not depend on the number of cores."""
    from cluster.scenario.parse import parse_script
    from tests.support.challenges.wrong_rules import COMMANDS_MAX, NO_RULES, WRONG, WrongRule
    from workbench.challenges.own_rule.kinds import KINDS
    from workbench.challenges.own_rule.refute import Verdict, refute
    from workbench.challenges.solution import count_commands

    def timed(rule: WrongRule) -> tuple[Verdict, float]:
        began = time.monotonic()
        verdict = refute(KINDS[rule.kind], rule.source, SEEDS, 1)
        return verdict, time.monotonic() - began

    slowest, longest = 0.0, 0
    for rule in WRONG:
        verdict, took = timed(rule)
        commands = count_commands(parse_script(verdict.script)) if verdict.word == "broken" else 0
        slowest, longest = max(slowest, took), max(longest, commands)
        print(f"  {rule.kind:20}{rule.what:32}{verdict.word:12}{took:6.1f} s  seed {verdict.seed}, {commands} commands")
    line("the slowest wrong rule is refuted", slowest, "s", REFUTED_AIM)
    line("the longest script that refutes one", longest, "commands", Aim(COMMANDS_MAX, 8, higher_is_better=False))
    slowest = 0.0
    for rule in NO_RULES:
        verdict, took = timed(rule)
        slowest = max(slowest, took)
        print(f"  {rule.kind:20}{rule.what:32}{verdict.word:12}{took:6.1f} s")
    line("the slowest file without a rule is told", slowest, "s", ENDED_AIM)
