from __future__ import annotations

from cluster.replication import waiting_produces
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import sealed_bug


def test_a_leader_answers_nobody() -> None:
    with planted(sealed_bug("clients/answers-nobody")):
        assert waiting_produces.answer_waiting(object()) == []  # type: ignore[arg-type]  # it looks at nothing
