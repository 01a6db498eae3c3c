"""The bugs of the hunt under their sealed names: keyed hashes, so that a name, a folder or a trace gives nothing away.

Whoever opens this code can read all of them: a seal keeps honest people from seeing what they do not want to see.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from workbench.challenges.bugs.clients import CLIENTS
from workbench.challenges.bugs.groups import GROUPS
from workbench.challenges.bugs.planted_bug import PlantedBug
from workbench.challenges.bugs.quorum import QUORUM
from workbench.challenges.bugs.replication import REPLICATION
from workbench.challenges.bugs.storage import STORAGE
from workbench.support.refusal import BAD_DATA, USAGE, Refusal
from workbench.support.safe_text import safe_text

KEY = b"a bug hunt of the KRaft workbench"
WORDS = (
    "amber", "basalt", "cedar", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper", "kelp", "larch",
    "marble", "nectar", "opal", "pebble", "quartz", "reed", "slate", "tundra", "umber", "violet", "willow", "zinc",
)  # fmt: skip
FILES = ("clients.py", "groups.py", "planted_bug.py", "quorum.py", "replication.py", "storage.py")
SEALS = "seals.txt"
"""Their digests, as `make pages` wrote them."""
LEVEL_2 = (
    "quorum/votes-twice", "quorum/forgets-its-vote", "quorum/never-persists", "quorum/wakes-as-candidate",
    "replication/same-leader-epoch", "replication/elects-anybody", "replication/cuts-too-much",
    "replication/fenced-joins", "replication/shrinks-at-once", "replication/lets-nobody-in",
    "replication/elects-nobody-else", "clients/answers-nobody", "replication/never-diverges",
)  # fmt: skip
"""They take two or three faults."""
LEVEL_3 = (
    "quorum/counts-anybody", "replication/joins-early", "replication/keeps-the-restarted",
    "clients/calls-doubt-failure", "replication/trusts-the-crashed", "replication/takes-every-sequence",
    "replication/ends-epochs-late",
    "storage/fsync-one-late", "storage/no-directory-sync", "storage/kill-loses-appends",
    "groups/gives-what-others-have", "groups/takes-any-commit", "quorum/disturbs-its-leader",
)  # fmt: skip
"""They take disks, retries, groups, or a fault at the right moment."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """One bug of the hunt."""

    name: str
    """As learners know it."""
    level: int
    """1 to 3."""
    bug: PlantedBug


def _sealed(bug: PlantedBug) -> Sealed:
    digest = hmac.new(KEY, bug.id.encode(), hashlib.sha256).digest()
    level = 3 if bug.id in LEVEL_3 else 2 if bug.id in LEVEL_2 else 1
    return Sealed(f"{WORDS[digest[0] % len(WORDS)]}-{digest[1:3].hex()}", level, bug)


SEALED: tuple[Sealed, ...] = tuple(
    sorted(map(_sealed, (*QUORUM, *REPLICATION, *STORAGE, *CLIENTS, *GROUPS)), key=lambda item: (item.level, item.name))
)
"""By level, then by name."""


def seals() -> str:
    """What the seals of the bugs are now: a line for each file, its digest and its name."""
    folder = Path(__file__).parent
    return "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in FILES)


def check_seals() -> None:
    """Refusal names a file of bugs that was changed since it was sealed."""
    kept = Path(__file__).with_name(SEALS).read_text("utf-8").splitlines()
    changed = [line.split()[-1] for line in seals().splitlines() if line not in kept]
    if changed:
        raise Refusal(BAD_DATA, f"hunt: {', '.join(changed)} was changed since the bugs were sealed; install anew")


def sealed_bug(bug_id: str) -> PlantedBug:
    """The bug of that part and name, such as quorum/votes-twice."""
    return next(item.bug for item in SEALED if item.bug.id == bug_id)


def find_sealed(name: str) -> Sealed:
    """The bug under a sealed name. Refusal names those that are near."""
    sealed = next((item for item in SEALED if item.name == name), None)
    if sealed is None:
        near = get_close_matches(name, [item.name for item in SEALED], n=3, cutoff=0.5)
        hint = f"did you mean {' or '.join(near)}?" if near else "workbench hunt lists them"
        raise Refusal(USAGE, f"hunt: no sealed bug is called '{safe_text(name, 60)}'; {hint}")
    return sealed
