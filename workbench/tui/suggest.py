"""Suggestions of the command bar."""

from __future__ import annotations

from workbench.session.view import ClusterView

VERBS = (
    "kill ", "restart ", "pause ", "resume ", "power-loss ", "partition ", "cut ", "isolate ", "delay ", "slow-link ",
    "reset ", "fsync lie ", "fsync slow ", "fsync ok ", "disk-full ", "disk-ok ", "heal", "undo", "topic ", "produce ",
    "consume ", "elect ", "stop ", "start ", "freeze", "thaw", "status",
)  # fmt: skip
_NODE_VERBS = ("kill", "restart", "pause", "resume", "power-loss", "isolate", "stop", "start", "disk-full", "disk-ok")


def suggest(text: str, view: ClusterView) -> tuple[str, ...]:
    """Whole command texts that continue `text`."""
    if text.startswith("/"):
        return ()
    words = text.split(" ")
    if len(words) < 2:
        return tuple(verb for verb in VERBS if verb.startswith(text) and verb != text)[:12]
    head = text[: len(text) - len(words[-1])]
    names: list[str] = []
    if words[0] in _NODE_VERBS or words[0] == "fsync" and len(words) > 2:
        names = [*(str(node) for node in sorted(view.nodes) if 0 < node < 1001), "leader"]
    elif words[0] in ("produce", "consume") and len(words) == 2:
        names = [f"{tp.topic} " for tp in sorted(view.partitions)]
    elif words[0] == "elect":
        names = [str(tp) for tp in sorted(view.partitions)]
    elif words[0] == "partition":
        names = _splits(view)
    elif words[0] == "produce":
        names = ["10", "acks=all", "acks=1", "acks=0"]
    elif words[0] == "topic" and len(words) > 2:
        names = ["partitions=1 ", "replicas=3 ", "min-isr=2 "]
    return tuple(head + name for name in names if name.startswith(words[-1]) and head + name != text)[:12]


def _splits(view: ClusterView) -> list[str]:
    nodes = [node for node in sorted(view.nodes) if 0 < node < 1001]
    return [f"{one}|" + ",".join(str(node) for node in nodes if node != one) for one in nodes]


def complete(text: str, suggestions: tuple[str, ...]) -> str:
    """The text after tab: the first suggestion."""
    return suggestions[0] if suggestions else text
