"""Lines to paste."""

from __future__ import annotations

import ast
import shlex
from pathlib import Path

import pytest

from cluster.runtime.run.client_login import LOGIN, make_login, read_login
from cluster.runtime.run.facts import RunFacts
from workbench.session.bootstrap import moved_ports, paste_lines, who_may


def test_every_line_is_a_command_that_a_shell_reads() -> None:
    head, *commands, who = paste_lines(["127.0.0.1:19095", "127.0.0.1:19096"])
    assert who == "  every account of this machine may use these ports; up --client-auth asks for a password"
    assert head == "Kafka clients: 127.0.0.1:19095,127.0.0.1:19096"
    words = [shlex.split(line) for line in commands]
    assert [line[0] for line in words] == ["kcat", "echo", "kcat", "python"]
    ast.parse(words[-1][-1])
    assert all("127.0.0.1:19095,127.0.0.1:19096" in line for line in commands)


def test_with_a_password_no_line_holds_it_and_each_names_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "a 'run'"
    folder.mkdir()
    make_login(folder)
    login, password = folder / LOGIN, read_login(folder).password
    *lines, who = paste_lines(["127.0.0.1:19095"], login=login)
    assert all(shlex.split(line).count(str(login)) == 1 for line in lines[1:])
    ast.parse(shlex.split(lines[-1])[-2])
    assert password in who and not any(password in line for line in lines)
    login.unlink()
    assert who_may(login).startswith("nobody is served: client.conf cannot be used")


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
