"""Blocks of loopback ports."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from cluster.runtime.run import ports
from cluster.runtime.run.ports import EPHEMERAL_FIRST, FIRST_PORT, blocks, complaint, moved, reserve, warning


def test_blocks_are_consecutive_disjoint_and_below_the_ephemeral_range() -> None:
    found = list(blocks(18, None))
    assert found[0][0] >= FIRST_PORT
    for block in found:
        assert block == tuple(range(block[0], block[0] + 18))
        assert block[-1] < EPHEMERAL_FIRST
    ports = [port for block in found for port in block]
    assert len(set(ports)) == len(ports)


def test_a_block_with_a_taken_port_is_passed_over() -> None:
    with socket.socket() as other:
        port = next(block[3] for block in blocks(6, None) if could_bind(other, block[3]))
        other.listen()
        assert all(port not in block for block in blocks(6, None))


def could_bind(sock: socket.socket, port: int) -> bool:
    """Runs of other tests come and go, so the first free port may be gone by now."""
    try:
        sock.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


def test_a_chosen_block_is_the_only_one_even_when_it_is_taken() -> None:
    assert list(blocks(3, 30_000)) == [(30_000, 30_001, 30_002)]


def test_a_block_is_reserved_for_one_run_until_it_ends(tmp_path: Path) -> None:
    first = reserve((20_000, 20_001), tmp_path)
    assert first is not None
    assert reserve((20_000,), tmp_path) is None
    other = reserve((20_020,), tmp_path)
    assert other is not None
    os.close(first)
    again = reserve((20_000, 20_001), tmp_path)
    assert again is not None
    os.close(again)
    os.close(other)


@pytest.mark.parametrize(
    ("base_port", "count", "words"),
    [(80, 6, "need root"), (1023, 1, "need root"), (65_530, 9, "pass 65535"), (70_000, 1, "pass 65535")],
)
def test_a_block_that_cannot_be_is_complained_about(base_port: int, count: int, words: str) -> None:
    assert words in complaint(base_port, count)


@pytest.mark.parametrize(("base_port", "count"), [(1024, 18), (19_092, 18), (65_530, 6)])
def test_a_block_that_can_be_is_not(base_port: int, count: int) -> None:
    assert complaint(base_port, count) == ""


def test_the_ephemeral_range_is_warned_about() -> None:
    assert "19092" in warning(40_000)
    assert warning(EPHEMERAL_FIRST - 1) == ""


def test_a_run_that_has_other_ports_than_the_first_is_told_whose_those_are() -> None:
    assert moved([FIRST_PORT, FIRST_PORT + 8]) == ""
    told = moved([FIRST_PORT + 80, FIRST_PORT + 88])
    assert told.startswith(f"ports from {FIRST_PORT} on were taken")
    assert told.endswith(f"; this run has {FIRST_PORT + 80} to {FIRST_PORT + 88}")


def test_an_address_that_this_machine_lacks_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    assert ports.loopback_trouble() == ""
    monkeypatch.setattr(ports, "LOOPBACK", "192.0.2.1")
    assert ports.loopback_trouble().startswith("192.0.2.1 cannot be used: Cannot assign requested address; the loop")
