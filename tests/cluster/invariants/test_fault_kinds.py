"""Faults that the checker knows by name."""

from __future__ import annotations

from cluster.faults.disks import Damage
from cluster.faults.grammar import FAULTS
from cluster.faults.processes import DOWN
from cluster.invariants import fault_kinds as known

NAMED = {
    *known.ENDS, *known.SPLITTING, *known.MISTIMING, *known.LOSING, *known.UNKIND, *known.DAMAGE, known.LYING,
}  # fmt: skip
UNNAMED = {
    **dict.fromkeys(
        ("Cut", "CutLinks", "Withhold", "Delay", "SlowLink", "Reset"), "other ways are left, and TCP repeats"
    ),
    **dict.fromkeys(("FsyncFail", "FsyncLieDir", "Misread"), "the node stops, or its files tell what was lost"),
    **dict.fromkeys(("ClientCut", "ClientSlow", "ClientDropResponses", "InjectError"), "Kafka clients promise nothing"),
    "CrashPoint": "the process that ends is told by itself",
    "SkewClock": "no timer goes by the wall clock",
}


def test_every_kind_of_fault_is_named_or_listed_with_its_reason() -> None:
    assert set(FAULTS) == NAMED | set(UNNAMED) and not NAMED & set(UNNAMED)


def test_what_ends_a_process_and_what_damages_a_disk_is_what_the_faults_say() -> None:
    assert tuple(kind.__name__ for kind in DOWN) == known.ENDS
    assert tuple(kind.__name__ for kind in Damage.__subclasses__()) == known.DAMAGE
