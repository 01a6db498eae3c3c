"""When a session is over."""

from __future__ import annotations

from cluster.zookeeper.rules.sessions import expire_session


def test_a_session_ends_after_its_whole_timeout() -> None:
    assert not expire_session(2_999, 3_000).granted
    assert expire_session(3_000, 3_000).granted
