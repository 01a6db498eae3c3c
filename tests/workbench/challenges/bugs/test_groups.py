from __future__ import annotations

from types import SimpleNamespace

from cluster.groups.classic import rules
from cluster.groups.group_state import GroupState
from cluster.model.errors import ErrorCode
from workbench.challenges.bugs.planted_bug import planted
from workbench.challenges.bugs.sealed import sealed_bug

GROUP = SimpleNamespace(generation=2, state=GroupState.STABLE, members={}, static_ids={})
FACTS = (GROUP, 1, "who is out", "")


def test_a_commit_of_somebody_who_is_out_is_taken() -> None:
    assert rules.may_commit(*FACTS).value != ErrorCode.NONE  # type: ignore[arg-type]  # it has what the rule looks at
    with planted(sealed_bug("groups/takes-any-commit")):
        assert rules.may_commit(*FACTS).value == ErrorCode.NONE  # type: ignore[arg-type]
