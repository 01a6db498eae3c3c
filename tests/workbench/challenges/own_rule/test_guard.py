from __future__ import annotations

import os
from typing import Any

import pytest

from workbench.challenges.own_rule.guard import FORBIDDEN, Guard, learners_function
from workbench.challenges.own_rule.kinds import KINDS, Kind, example


@pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.name)
def test_a_right_rule_answers_a_quiet_moment(kind: Kind) -> None:
    scope: dict[str, Any] = {}
    exec(compile(example(kind), "<right>", "exec"), scope)
    assert set(kind.quiet) == set(kind.parameters)
    assert scope[kind.name](**kind.quiet) in (True, False, 1, 3, 5, 4)


def test_a_file_without_its_function_is_a_verdict() -> None:
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        learners_function(Guard(writer), KINDS["cut"], "x = 1\n")
        os._exit(9)
    os.close(writer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    with os.fdopen(reader) as stream:
        assert "there is no function cut" in stream.read()
    assert "open" in FORBIDDEN
