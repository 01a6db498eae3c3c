"""Node processes where the system grants no more of them."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.lab.supervisor import Supervisor
from cluster.runtime.run.folder import create_run, is_alive, read_facts
from cluster.runtime.run.ports import Ports

pytestmark = pytest.mark.processes


async def test_a_node_whose_end_nobody_would_hear_of_is_ended_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else whoever ends the run would wait for it for ever."""
    folder, lock = create_run(tmp_path, ClusterSpec(title="one", controllers=1, brokers=0))

    def no_more(_thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    supervisor = Supervisor(folder, read_facts(folder), lock, lambda _handle, _code: None, {})
    try:
        with monkeypatch.context() as refused, pytest.raises(OSError, match="Resource temporarily unavailable"):
            refused.setattr(threading.Thread, "start", no_more)
            supervisor.start(101, Ports({101: 1}), [], {}, {})
        assert not supervisor.nodes
    finally:
        supervisor.close()
    os.close(lock)
    assert not is_alive(folder), "no process holds the lock of the run"
