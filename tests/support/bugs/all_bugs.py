"""Every bug that can be planted."""

from __future__ import annotations

from tests.support.bugs.client_bugs import CLIENT_BUGS
from tests.support.bugs.memory_bugs import MEMORY_BUGS
from tests.support.bugs.quorum_bugs import QUORUM_BUGS
from tests.support.bugs.replication_bugs import REPLICATION_BUGS, STORAGE_BUGS

BUGS = (*QUORUM_BUGS, *REPLICATION_BUGS, *MEMORY_BUGS, *STORAGE_BUGS, *CLIENT_BUGS)
