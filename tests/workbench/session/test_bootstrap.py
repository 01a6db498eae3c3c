"""Lines to paste."""

from __future__ import annotations

import ast
import shlex

import pytest

from cluster.runtime.run.facts import RunFacts
from workbench.session.bootstrap import moved_ports, paste_lines


def test_every_line_is_a_command_that_a_shell_reads() -> None:
    head, *commands = paste_lines(["127.0.0.1:19095", "127.0.0.1:19096"])
    assert head == "Kafka clients: 127.0.0.1:19095,127.0.0.1:19096"
    words = [shlex.split(line) for line in commands]
    assert [line[0] for line in words] == ["kcat", "echo", "kcat", "python"]
    ast.parse(words[-1][-1])
    assert all("127.0.0.1:19095,127.0.0.1:19096" in line for line in commands)


def test_without_a_listener_there_is_nothing_to_paste() -> None:
    assert paste_lines(()) == []


@pytest.mark.parametrize(
    ("first", "asked", "told"),
    [(25_000, None, "this run has 25000 to 25001"), (25_000, 25_000, ""), (19_092, None, "")],
)
def test_ports_that_nobody_asked_for_and_that_are_not_the_usual_ones_are_told(
    first: int, asked: int | None, told: str
) -> None:
    facts = RunFacts(
        id="r", title="", created="", state="running", controllers=(1,), brokers=(1,), settings={}, base_port=asked,
        ports={1: first}, client_ports={1: first + 1},
    )  # fmt: skip
    assert told in moved_ports(facts) and bool(told) == bool(moved_ports(facts))
