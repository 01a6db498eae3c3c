"""The rule by which a session is over; its ephemeral znodes go with it."""

from __future__ import annotations

from cluster.model.ruling import Numbers, Ruling, rule, yes_or_no


@rule(source="ZooKeeper paper 2.3", kafka="zookeeper.session.timeout.ms")
def expire_session(silence_ms: int, timeout_ms: int) -> Ruling[bool]:
    """A session ends when its client was silent for its timeout, whatever the client believes."""
    numbers: Numbers = {"silence_ms": silence_ms, "zookeeper.session.timeout.ms": timeout_ms}
    is_over = silence_ms >= timeout_ms
    return yes_or_no(is_over, "silent for its whole timeout" if is_over else "heard in time", numbers)
