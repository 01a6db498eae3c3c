"""Faults between a broker and its Kafka clients."""

from __future__ import annotations

import re
from typing import Annotated, Any

from cluster.faults.fault import ClientFault, Deed, Fault
from cluster.language.command import Command
from cluster.language.words import CommandError, Node, Word, duration, duration_ms, key, one_of
from cluster.model.errors import ErrorCode

TOGETHER = {
    "client": "Stand between a broker and its Kafka clients: nothing passes, answers are late, or produce answers are "
    "lost."
}
APIS = (
    "produce", "fetch", "list-offsets", "find-coordinator", "init-producer-id", "join-group", "sync-group", "heartbeat",
    "create-topics",
)  # fmt: skip
"""Requests that may be refused as a whole."""
ERRORS = tuple(code.name for code in ErrorCode if code > 0)
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,4})?)(%)?")


def _share(text: str, where: str) -> float:
    """0.15 or 15%: above 0, up to 1, with at most four digits after the point."""
    allowed = "0.15 or 15%, above 0 and up to 1"
    share = _SHARE.fullmatch(text)
    if share is None:
        raise CommandError("not a share", where, text, allowed)
    value = round(float(share[1]) / (100 if share[2] else 1), 4)
    if not 0 < value <= 1:
        raise CommandError("share out of range", where, text, allowed)
    return value


class ClientCut(ClientFault, verb="client cut", mark="clients CUT"):
    """Nothing passes between a broker and its Kafka clients, either way."""

    deed = Deed("you cut the clients off {n}", "the clients are cut off {n}")

    def add_to(self, told: dict[str, Any]) -> None:
        """Nothing is read and nothing is sent."""
        told["cut"] = True


class ClientSlow(ClientFault, verb="client slow", mark="answers slow"):
    """A broker's responses to Kafka clients leave later."""

    deed = Deed("you made the answers of {n} slow", "the answers of {n} are slow")

    delay_ms: Annotated[int, duration("200ms", "200ms", "2s")]
    """Extra time for each."""

    def add_to(self, told: dict[str, Any]) -> None:
        """Delays add up."""
        told["slow_ms"] += self.delay_ms


class ClientDropResponses(ClientFault, verb="client drop-responses", mark="answers LOST"):
    """Some responses to produce requests are lost after the append, with their connection."""

    deed = Deed("you had answers of {n} get lost", "answers of {n} get lost")

    share: Annotated[float, Word("0.15", _share, "{:g}".format, ("0.15", "1"))]
    """How many of them: above 0, up to 1."""

    def add_to(self, told: dict[str, Any]) -> None:
        """The largest share holds."""
        told["drop"] = max(told["drop"], self.share)


class InjectError(
    ClientFault,
    verb="inject-error",
    help="Answer requests of Kafka clients with an error, without doing what they ask.",
    mark="answers WRONG",
):
    """A broker refuses one kind of request of its Kafka clients. It does nothing of what is asked."""

    deed = Deed("you had {n} answer with an error", "{n} answers with an error")

    api: Annotated[str, key("api", "produce", one_of(*APIS), *APIS)]
    error: Annotated[str, key("error", "NOT_ENOUGH_REPLICAS", one_of(*ERRORS), *ERRORS)]
    """Kafka's name of the error."""
    for_ms: Annotated[int, Word("5s", duration_ms, "{}ms".format, ("5s",), key="for", is_always_written=False)] = 0
    """After that the lab takes it back; 0 until it is healed."""

    @property
    def lasts_ms(self) -> int:
        """As it was asked for."""
        return self.for_ms

    def replaces(self, older: Fault) -> bool:
        """Each kind of request has an error of its own."""
        return isinstance(older, InjectError) and older.api == self.api

    def add_to(self, told: dict[str, Any]) -> None:
        """Each kind of request has its own error."""
        name = "".join(part.capitalize() for part in self.api.split("-"))
        told.setdefault("errors", []).append([name, int(ErrorCode[self.error])])


class ClientOk(Command, verb="client ok"):
    """Nothing stands between a broker and its Kafka clients any more."""

    node: Node


CLIENT_FAULTS = tuple(ClientFault.__subclasses__())
