"""Who listens on a port."""

from __future__ import annotations

import os
import socket
import sys
from pathlib import Path

import pytest

from cluster.runtime.run.port_holder import holder_of

linux = pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="only Linux tells who has a port")


@linux
def test_a_listener_is_named_with_its_process() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        assert holder_of(port) == "", "bound, but it does not listen"
        listener.listen()
        assert holder_of(port).endswith(f"(pid {os.getpid()})")
    assert holder_of(port) == ""


@linux
def test_one_end_of_a_connection_is_no_listener() -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with socket.create_connection(listener.getsockname()) as connection:
            assert holder_of(connection.getsockname()[1]) == ""


def fake_proc(root: Path, cmdline: bytes) -> Path:
    """A /proc with one process that listens on port 19092."""
    (root / "net").mkdir(parents=True)
    (root / "net" / "tcp").write_text(
        "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
        "   0: 0100007F:4A94 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 4242 1 0\n"
    )
    (root / "77" / "fd").mkdir(parents=True)
    (root / "77" / "fd" / "3").symlink_to("socket:[4242]")
    (root / "77" / "cmdline").write_bytes(cmdline)
    return root


@pytest.mark.parametrize(
    ("cmdline", "told"),
    [
        (b"/usr/bin/nc\0-l\0", "nc (pid 77)"),
        (b"\x1b]52;evil\x07\xe2\x80\xae\0", "]52;evil (pid 77)"),
        (b"", "a program (pid 77)"),
        (
            f"{sys.executable}\0-P\0-m\0cluster.runtime.node.process\0/h/runs/r7/nodes/2.json\0".encode(),
            "node 2 of run r7 (pid 77)",
        ),
    ],
)
def test_a_node_of_ours_is_told_with_its_run_and_nothing_unprintable_is(
    tmp_path: Path, cmdline: bytes, told: str
) -> None:
    proc = fake_proc(tmp_path / "proc", cmdline)
    assert holder_of(19092, proc) == told
    assert holder_of(19093, proc) == ""


def test_without_proc_nobody_is_named(tmp_path: Path) -> None:
    assert holder_of(19092, tmp_path) == ""
