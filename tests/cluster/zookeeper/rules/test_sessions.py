"""When a session is over."""

from __future__ import annotations

from cluster.zookeeper.rules.sessions import expire_session


def test_a_session_ends_after_its_whole_timeout() -> None:
    heard, over = expire_session(2_999, 3_000), expire_session(3_000, 3_000)
    assert (heard.value, heard.granted, heard.reason) == (False, False, "heard in time")
    assert (over.value, over.granted, over.reason) == (True, True, "silent for its whole timeout")
    assert over.numbers == {"silence_ms": 3_000, "zookeeper.session.timeout.ms": 3_000}
