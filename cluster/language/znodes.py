"""The command that asks ZooKeeper itself, past the controller, as Kafka's tools did until 2.x."""

from __future__ import annotations

import re
import shlex
from typing import Annotated, Any

from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import CommandError, Word

ACTIONS = ("create", "set", "delete", "get")
DATA_MAX, PATH_MAX = 400, 200
_PATH = re.compile(r"(/[A-Za-z0-9._-]+)+")


def _path(text: str, where: str) -> str:
    if not _PATH.fullmatch(text) or len(text) > PATH_MAX:
        raise CommandError("not a path of a znode", where, text, "for example /brokers/topics/orders")
    return text


def _data(text: str, where: str) -> str:
    if len(text) > DATA_MAX or not text.isprintable():
        raise CommandError("not what a znode may hold here", where, text, f"a line of at most {DATA_MAX} characters")
    return text


class AskZooKeeper(
    Command,
    verb="znode",
    help="Create, set, delete or get a znode past the controller, as old tools did; needs control=zookeeper.",
):
    """One operation on one znode, asked by a tool that has no session."""

    action: Annotated[str, Word("|".join(ACTIONS), w.one_of(*ACTIONS), offers=ACTIONS)]
    path: Annotated[
        str, Word("PATH", _path, offers=("/controller", "/controller_epoch", "/brokers/ids", "/brokers/topics"))
    ]
    data: Annotated[str, Word("TEXT", _data, key="data", is_always_written=False)] = ""
    """What create and set write."""

    @classmethod
    def settle(cls, given: dict[str, Any]) -> dict[str, Any]:
        """Only what is written has data."""
        if given.get("data") and given["action"] not in ("create", "set"):
            raise CommandError("writes nothing", "znode: data", str(given["data"]), "create or set")
        return given

    @property
    def arguments(self) -> str:
        """The data may have quotes."""
        return " ".join([self.action, self.path, *([f"data={shlex.quote(self.data)}"] if self.data else [])])
