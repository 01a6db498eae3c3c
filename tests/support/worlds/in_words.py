"""What a machine asks for, one line for each effect: whole lists read well in a test."""

from __future__ import annotations

from collections.abc import Iterable

from cluster.model.effects import (
    Append,
    CancelTimer,
    Effect,
    Emit,
    Flush,
    HaltNode,
    PersistElection,
    Send,
    SetTimer,
    Truncate,
)  # fmt: skip


def in_words(effects: Iterable[Effect]) -> list[str]:
    """One line for each effect."""
    return [_in_words(effect) for effect in effects]


def _in_words(effect: Effect) -> str:
    match effect:
        case Emit(event=event):
            return f"tell {type(event).__name__}"
        case Send(target=target, message=message):
            return f"send {type(message).__name__} to {target}"
        case SetTimer(name=name, delay_ms=delay_ms, jitter_ms=jitter_ms):
            return f"set {name} {delay_ms}" + (f" to {delay_ms + jitter_ms}" if jitter_ms else "")
        case CancelTimer(name=name):
            return f"cancel {name}"
        case PersistElection(epoch=epoch, leader_id=leader, voted_for=vote):
            return f"persist epoch {epoch} leader {leader} vote {vote}"
        case Append():
            return "append"
        case Flush():
            return "flush"
        case Truncate(end_offset=end_offset):
            return f"cut to {end_offset}"
        case HaltNode():
            return "halt"
        case _:
            return type(effect).__name__
