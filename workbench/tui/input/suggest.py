"""Suggestions of the command bar: the grammar's own, with the nodes and topics that the view knows."""

from __future__ import annotations

from cluster.faults.grammar import CommandError, known_commands, parse_command, suggestions
from cluster.model.identifiers import METADATA
from workbench.session.views.cluster import ClusterView
from workbench.tui.input.words import WORDS

_TAKES_MORE = frozenset(item.verb for item in known_commands() if item.usage not in (item.verb, "heal [ID]"))


def suggest(text: str, view: ClusterView) -> tuple[str, ...]:
    """Whole command texts that continue `text`."""
    if text.startswith("/"):
        return ()
    nodes = tuple(node for node in sorted(view.nodes) if 0 < node < 1001)
    topics = tuple(str(tp) for tp in sorted(view.partitions) if tp != METADATA and str(tp).isprintable())
    return tuple(suggestions(text, nodes, topics))


def complete(text: str, offered: tuple[str, ...]) -> str:
    """The text after tab: what all suggestions share, a blank after it where more must follow."""
    if not offered:
        return text
    shared = offered[0]
    for other in offered[1:]:
        while not other.startswith(shared):
            shared = shared[:-1]
    longer = shared if len(shared) > len(text) else text
    return longer + " " if longer in _TAKES_MORE and offered == (longer,) else longer


def mistake(text: str) -> str:
    """What the grammar has against the text; empty when nothing."""
    try:
        parse_command(text)
    except CommandError as error:
        return str(error)
    return ""


def usage(text: str) -> str:
    """Form and sentence of the command being typed; empty when its verb is not known."""
    verb = text.split(" ")[0]
    usages = [(item.verb, item.usage, item.help) for item in known_commands()]
    usages += [(word.name, word.usage, word.help) for word in WORDS]
    return next((f"{form}   {says}" for name, form, says in usages if name == verb), "")
