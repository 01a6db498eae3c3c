"""The command that writes past the controller: read, written, refused."""

from __future__ import annotations

import pytest

from cluster.faults.grammar import CommandError, parse_command
from cluster.language.znodes import AskZooKeeper


@pytest.mark.parametrize("text", ["znode get /controller", "znode delete /brokers/topics/a", "znode create /a data=x",
                                  "znode create /a data='{\"b\":[1, 2]}'"])  # fmt: skip
def test_it_is_written_as_it_is_read(text: str) -> None:
    command = parse_command(text)
    assert isinstance(command, AskZooKeeper)
    assert parse_command(f"znode {command.arguments}") == command


@pytest.mark.parametrize("text", ["znode", "znode move /a", "znode get controller", "znode get /a/", "znode get /a b",
                                  "znode get /a data=x", "znode create /a data='\x1b[31m'"])  # fmt: skip
def test_what_is_none_is_refused_with_what_is_allowed(text: str) -> None:
    with pytest.raises(CommandError):
        parse_command(text)
