"""A change of an ISR in words: who came, who went, and what its leader compared."""

from __future__ import annotations

from cluster.picture.parts import IsrChange
from workbench.support.safe_text import safe_text
from workbench.telling.words import node_name, with_node_names

LIMIT = "replica.lag.time.max.ms"
LONGEST_MS = 1 << 40


def isr_words(change: IsrChange) -> str:
    """n3 out: behind for 5.2 s, allowed 5.0 s."""
    words = [f"{_names(nodes)} {word}" for nodes, word in ((change.left, "out"), (change.joined, "in")) if nodes]
    why = _why(change)
    return ", ".join(words) + (f": {why}" if why else "")


def _why(change: IsrChange) -> str:
    wanted = change.wanted
    if wanted is None:
        return ""
    changed = len(set(wanted.isr) ^ set(wanted.before))
    has, behind = _numbers(change, "log_end_offset", "high_watermark"), _numbers(change, "not_caught_up_ms", LIMIT)
    if changed == 1 and len(wanted.isr) > len(wanted.before) and has:
        return f"its LEO {has[0]} has reached HW {has[1]}"
    if changed == 1 and len(wanted.isr) < len(wanted.before) and behind:
        return f"behind for {behind[0] / 1000:.1f} s, allowed {behind[1] / 1000:.1f} s"
    return with_node_names(safe_text(wanted.why, 60))


def _numbers(change: IsrChange, *names: str) -> list[int] | None:
    """What the leader compared; None when it does not say all of them, or not as whole numbers."""
    decision = change.wanted.decision if change.wanted is not None else None
    numbers = decision.numbers if decision is not None else {}
    values = [
        value for value in (numbers.get(name) for name in names) if type(value) is int and 0 <= value < LONGEST_MS
    ]
    return values if len(values) == len(names) else None


def _names(nodes: tuple[int, ...]) -> str:
    return " ".join(map(node_name, nodes))
