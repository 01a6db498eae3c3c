"""Every bug that can be planted and that seeds of the swarm catch."""

from __future__ import annotations

from tests.support.bugs.client_bugs import CLIENT_BUGS
from tests.support.bugs.compaction_bugs import COMPACTION_BUGS
from tests.support.bugs.group_bugs import COMMIT_BUGS, GROUP_BUGS
from tests.support.bugs.late_bugs import COUNTS_ANYBODY, LATE_BUGS
from tests.support.bugs.majority_bugs import MAJORITY_BUGS
from tests.support.bugs.memory_bugs import MEMORY_BUGS
from tests.support.bugs.quorum_bugs import QUORUM_BUGS
from tests.support.bugs.reader_bugs import READER_BUGS
from tests.support.bugs.reassignment_bugs import REASSIGNMENT_BUGS
from tests.support.bugs.replication_bugs import REPLICATION_BUGS, STORAGE_BUGS
from tests.support.bugs.segment_bugs import SEGMENT_BUGS
from tests.support.bugs.snapshot_bugs import SNAPSHOT_BUGS
from workbench.challenges.bugs.sealed import SEALED

OTHERWISE = (*LATE_BUGS, COUNTS_ANYBODY, *GROUP_BUGS, *(bug for _, bug in COMMIT_BUGS))
"""Caught by scripts, or by long seeds: they have tests of their own."""
SEALED_BUGS = tuple(item.bug for item in SEALED if item.bug not in OTHERWISE)
BUGS = (
    *SEALED_BUGS, *QUORUM_BUGS, *SNAPSHOT_BUGS, *REPLICATION_BUGS, *MAJORITY_BUGS, *MEMORY_BUGS, *STORAGE_BUGS,
    *SEGMENT_BUGS, *COMPACTION_BUGS, *CLIENT_BUGS, *READER_BUGS, *REASSIGNMENT_BUGS,
)  # fmt: skip
