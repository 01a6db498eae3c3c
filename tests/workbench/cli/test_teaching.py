from __future__ import annotations

from workbench.cli.app import app
from workbench.cli.teaching import COMMANDS


def test_the_commands_of_a_class_are_commands() -> None:
    known = {command.callback for command in app.registered_commands}
    assert {command.__name__ for command in COMMANDS if command in known} == {command.__name__ for command in COMMANDS}
