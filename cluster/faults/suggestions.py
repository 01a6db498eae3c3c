"""What may come next in a command that is being typed."""

from __future__ import annotations

from cluster.faults import clients, topic_commands
from cluster.faults import simulated_commands as simulated
from cluster.faults.catalogue import FAMILIES, KEEPS
from cluster.faults.commands import FSYNC_KINDS, VERBS
from cluster.faults.member_commands import ORDERS
from cluster.model.identifiers import NodeId

_NODE_VERBS = frozenset(
    (
        "kill",
        "stop",
        "start",
        "restart",
        "pause",
        "resume",
        "stutter",
        "isolate",
        "disk-full",
        "disk-ok",
        "flush",
        "misread",
        "wipe",
        "tear",
        "rot",
    )
)
_SECOND = {
    "power-loss": [f"keep={keep}" for keep in KEEPS[1:]],
    "delay": ["50ms", "200ms", "1s"],
    "slow-link": ["4KiB", "64KiB"],
    "stutter": ["50ms", "200ms"],
    "member": list(ORDERS),
    "disk-full": ["4096", "64KiB"],
}
"""Verb to what may follow its first argument."""


def suggestions(text: str, nodes: tuple[NodeId, ...] = (), topics: tuple[str, ...] = ()) -> list[str]:
    """Whole lines that continue the text, all of them. Topics are partitions such as orders-0."""
    head, space, last = text.rpartition(" ")
    words = head.split()
    if not space:
        return [verb for verb in VERBS if verb.startswith(text) and verb != text]
    offers = _offers(words, sorted(nodes), topics) if words else []
    used = {word.partition("=")[0] for word in words if "=" in word}
    fitting = [word for word in offers if word.startswith(last) and word.partition("=")[0] not in used]
    return [f"{head} {word}" for word in fitting if word != last]


def _offers(words: list[str], nodes: list[NodeId], topics: tuple[str, ...]) -> list[str]:
    """What may stand as the next word."""
    verb, place = words[0], len(words)
    numbers = [str(item) for item in nodes]
    names = [*numbers, "controller", *(f"leader({topic})" for topic in topics)]
    pairs = [f"{a}{sign}{b}" for a in numbers for b in numbers if a != b for sign in ("-", ">")]
    offers: list[str] = []
    if verb in simulated.PARSERS:
        offers = simulated.offers(words, names, pairs)
    elif verb in topic_commands.PARSERS:
        offers = topic_commands.offers(words, topics)
    elif verb == "client":
        offers = clients.offers(words, numbers)
    elif verb == "fsync":
        slow = ["100ms", "500ms", "2s"] if words[1:2] == ["slow"] else []
        offers = [*FSYNC_KINDS, "slow"] if place == 1 else names if place == 2 else slow
    elif place == 1:
        if verb == "heal":
            offers = list(FAMILIES)
        elif verb in _NODE_VERBS or verb == "power-loss":
            offers = names
        elif verb in ("cut", "delay", "slow-link", "reset"):
            offers = [pair for pair in pairs if verb != "reset" or ">" not in pair]
        elif verb == "partition":
            offers = [f"{one}|{','.join(n for n in numbers if n != one)}" for one in numbers if len(numbers) > 1]
    elif place == 3 and verb == "stutter":
        offers = ["50ms", "200ms", "1s"]
    elif place == 2 and verb in ("tear", "rot"):
        offers = [*topics, "metadata"]
    elif place == 2:
        offers = _SECOND.get(verb, [])
    return offers
