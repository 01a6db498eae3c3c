"""What is said of snapshots: with their numbers, and with no text of a file name that a terminal would obey."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from workbench.telling.snapshots import TELLINGS
from workbench.telling.tell import sentence


def _said(event: object) -> str:
    return sentence(event)


def test_a_bad_file_is_named_and_what_is_wrong_with_it() -> None:
    path = "__cluster_metadata-0/00000000000000000008-0000000002.checkpoint"
    event = ev.SnapshotRejected(path=path, why="it holds no footer", source=-1)
    assert _said(event) == "BAD snapshot 00000000000000000008-0000000002.checkpoint is not used: it holds no footer"


def test_a_bad_snapshot_of_a_leader_is_told_with_the_leader() -> None:
    assert "from n101 is not used" in _said(ev.SnapshotRejected(path="a/b", why="cut", source=101))


def test_a_name_that_a_terminal_would_obey_is_made_visible() -> None:
    assert "\x1b" not in _said(ev.SnapshotRejected(path="a/\x1b[2J", why="\x1b]0;x", source=-1))


@pytest.mark.parametrize("kind", TELLINGS)
def test_every_event_of_snapshots_says_where_it_stands(kind: type) -> None:
    numbers: dict[str, object] = {
        "epoch": 4,
        "end_offset": 20,
        "log_start_offset": 20,
        "path": "a/20-4",
        "kept": (),
        "why": "so",
    }
    numbers |= {"voters": (101, 102), "directories": ("", "")}
    event = kind(**{name: numbers.get(name, 1) for name in kind.__struct_fields__})  # type: ignore[attr-defined]
    assert "20" in _said(event)
