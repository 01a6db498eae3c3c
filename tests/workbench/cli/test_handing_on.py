"""The commands that hand runs on are there under their names."""

from __future__ import annotations

from workbench.cli.handing_on import COMMANDS


def test_each_has_the_name_that_people_type() -> None:
    assert [command.__name__ for command in COMMANDS] == ["export", "share", "open"]
    assert all(command.__doc__ for command in COMMANDS)
