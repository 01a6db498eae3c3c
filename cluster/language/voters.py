"""Commands about who votes in a dynamic quorum: an admin client carries each of them out. Source: KIP-853."""

from __future__ import annotations

from typing import Annotated

from cluster.language import words as w
from cluster.language.command import Command
from cluster.language.words import Node, Wait, key, switch

TOGETHER = {
    "add": "Have a controller that observes vote from now on; the quorum must be dynamic.",
    "remove": "Have a voter of a dynamic quorum vote no more; it goes on as an observer.",
}
Disk = Annotated[str, key("directory", "ID", w.name, is_always_written=False)]
Retries = Annotated[bool, switch("retries", "yes", "no", default=True)]


class VoterCommand(Command):
    """A change of the voters, one at a time."""

    node: Node
    directory: Disk = ""
    """Id of its disk; empty for the one that it is known by."""
    wait: Wait = True
    """Whether the command is done only when the answer is there."""
    retries: Retries = True
    """Whether the client tries again after an error that may pass. It looks for the controller in any case."""


class AddVoter(VoterCommand, verb="add voter", help=TOGETHER["add"]):
    """Ask the controller to add a voter."""


class RemoveVoter(VoterCommand, verb="remove voter", help=TOGETHER["remove"]):
    """Ask the controller to remove a voter."""
