"""Lines to paste."""

from __future__ import annotations

import ast
import shlex

from workbench.session.bootstrap import paste_lines


def test_every_line_is_a_command_that_a_shell_reads() -> None:
    head, *commands = paste_lines(["127.0.0.1:19095", "127.0.0.1:19096"])
    assert head == "Kafka clients: 127.0.0.1:19095,127.0.0.1:19096"
    words = [shlex.split(line) for line in commands]
    assert [line[0] for line in words] == ["kcat", "echo", "kcat", "python"]
    ast.parse(words[-1][-1])
    assert all("127.0.0.1:19095,127.0.0.1:19096" in line for line in commands)


def test_without_a_listener_there_is_nothing_to_paste() -> None:
    assert paste_lines(()) == []
