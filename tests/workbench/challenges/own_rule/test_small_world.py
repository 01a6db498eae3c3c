from __future__ import annotations

import pytest

from cluster.simulation.swarm.judge import Finding
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.own_rule import small_world
from workbench.challenges.own_rule.kinds import KINDS
from workbench.challenges.own_rule.patches import bug_of
from workbench.challenges.own_rule.small_world import COMMANDS_MAX, broken, draw, smallest


@pytest.mark.parametrize("rule", ["grant_vote", "cut"])
def test_a_seed_is_always_the_same_small_world(rule: str) -> None:
    for seed in range(1, 60):
        schedule = draw(seed, rule)
        assert schedule == draw(seed, rule)
        assert 3 <= len(schedule.timed) <= COMMANDS_MAX + 1
        assert list(schedule.timed) == sorted(schedule.timed, key=lambda item: item.at_ns)
    assert draw(1, rule).timed != draw(2, rule).timed


def test_what_is_broken_is_broken_by_fewer_commands() -> None:
    schedule = draw(1, "acknowledge")
    assert broken(schedule) is None
    with planted(bug_of(KINDS["acknowledge"], lambda **_facts: True)):
        finding = broken(schedule)
        assert finding is not None and finding.rule == "P18"
        small = smallest(schedule, finding)
    assert small.finding.rule == "P18" and len(small.schedule.timed) == 2


def test_a_rule_that_decides_unlike_kafkas_is_refuted_only_by_what_it_breaks(monkeypatch: pytest.MonkeyPatch) -> None:
    other, lost = Finding("P40", "a high watermark rises to 5"), Finding("P1", "a record is lost")
    schedule = draw(1, "leave_isr")
    for found, expected in (([other], None), ([other, lost], lost), ([], None)):
        monkeypatch.setattr(small_world, "findings_of", lambda _schedule, found=found: found)
        assert small_world.broken(schedule) == expected
