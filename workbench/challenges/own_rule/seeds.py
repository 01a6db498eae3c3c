"""Plays small clusters with a learner's rule in them and says what broke."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NoReturn

from cluster.simulation.swarm.shrunk_script import script_of
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.own_rule.guard import Guard, learners_function
from workbench.challenges.own_rule.kinds import Kind
from workbench.challenges.own_rule.patches import bug_of
from workbench.challenges.own_rule.small_world import broken, draw, smallest


def play(channel: int, kind: Kind, source: str, seeds: Sequence[int]) -> NoReturn:
    """Play these seeds, say what broke or that nothing did."""
    guard = Guard(channel)
    guard.set_up(source)
    rule = bug_of(kind, learners_function(guard, kind, source))
    for seed in seeds:
        guard.tell(seed=seed)
        schedule = draw(seed, kind.name)
        with planted(rule):
            finding = broken(schedule)
        if finding is None:
            continue
        sound = broken(schedule)
        if sound is not None and sound.rule == finding.rule:
            continue  # the cluster itself is to blame
        with planted(rule):
            small = smallest(schedule, finding, guard.tell)
        plan, commands = f"your {kind.name}, seed {seed}", len(schedule.timed)
        guard.say("broken", small.finding.sentence, seed=seed, script=script_of(small, plan, commands))
    guard.say("held", "")
