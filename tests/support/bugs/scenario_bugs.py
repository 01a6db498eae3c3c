"""Mistakes that a scenario kills: it goes the one path that shows them, a second life or a second load."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from cluster.groups import loading
from cluster.groups.classic import joining, rebalancing
from cluster.groups.classic import rules as classic_rules
from cluster.model.effects import SetTimer
from cluster.model.errors import ErrorCode
from cluster.model.record_batch import Record
from cluster.raft import snapshots, timers
from tests.support.bugs.planted import PlantedBug
from tests.support.bugs.session_bugs import SESSION_BUGS
from tests.support.bugs.voter_bugs import VOTER_BUGS
from tests.support.bugs.zookeeper_bugs import ZOOKEEPER_BUGS
from workbench.challenges.bugs.planted_bug import answering


def _gives_the_newest(chunk: Any) -> Any:
    """Who asks for a snapshot that is gone gets bytes of the one that took its place."""

    def given(state: Any, request: Any) -> Any:
        error, data, size = chunk(state, request)
        if error != ErrorCode.SNAPSHOT_NOT_FOUND or not state.snapshots.kept:
            return error, data, size
        newest = state.snapshots.kept[-1]
        data = state.snapshots.read(newest.snapshot_id, request.position, max(1, request.max_bytes))
        return ErrorCode.NONE, data or b"", newest.size_bytes

    return given


def _goes_on_in_another(_refusal: Any) -> Any:
    """A follower that is told that its snapshot is gone takes the rest of it for empty."""
    return lambda _fetch, _response: ""


def _is_no_contact(taken_in: Any) -> Any:
    """A follower that gets chunks has not heard of its leader."""

    def response(*given: Any) -> Any:
        return [e for e in taken_in(*given) if not (isinstance(e, SetTimer) and e.name == timers.FETCH_TIMER)]

    return response


def _hears_no_voter(_serving: Any) -> Any:
    """A leader that is asked for chunks has not heard of its voter."""
    return SimpleNamespace(note_contact=lambda *_given: [])


def _has_all_divide_again(replace_static: Any) -> Any:
    def replaced(shared: Any, shard: Any, group: Any, *given: Any) -> Any:
        effects = replace_static(shared, shard, group, *given)
        return [*effects, *rebalancing.prepare(shared, group, "a static member is back", given[-1])]

    return replaced


def _reads_no_deletion(take: Any) -> Callable[..., None]:
    """A new coordinator skips what says that an offset is gone."""

    def taken(self: Any, record: Record, *given: Any) -> None:
        if record.value is not None:
            take(self, record, *given)

    return taken


def _bug(name: str, part: str, what: str, place: Any, attribute: str, change: Any) -> PlantedBug:
    return PlantedBug(name, part, what, frozenset(), ((place, attribute, change),))


BY_SCRIPT = {
    "keeps-cut-voters": "v08_cut_off_change",
    "removed-and-counted": "v02_remove_the_leader",
    "numbers-alone": "v03_replaced_disk",
    "answers-for-the-old-disk": "v03_replaced_disk",
    "never-pending": "v04_two_changes",
    "changes-two": "v01_add_a_voter",
    "looks-at-no-version": "z06_zombie_leader",
    "keeps-ephemerals": "z02_controller_dies",
    "silent-watches": "z02_controller_dies",
    "keeps-the-leader-epoch": "z04_half_the_news",
    "counts-from-one": "z02_controller_dies",
    "writes-another-isr": "z02_controller_dies",
    "ends-sessions-early": "z02_controller_dies",
}
"""Bugs that seeds catch, too."""
SCENARIO_BUGS: tuple[tuple[str, PlantedBug], ...] = (
    ("s04_replaced_while_it_is_fetched",
     _bug("gives-the-newest", "quorum", "a leader gives bytes of its newest snapshot for one that is gone",
          snapshots, "_chunk", _gives_the_newest)),
    ("s04_replaced_while_it_is_fetched",
     _bug("goes-on-in-another", "quorum", "who is told that a snapshot is gone goes on with the half that it has",
          snapshots, "_refusal", _goes_on_in_another)),
    ("s05_chunks_are_contact",
     _bug("chunks-are-no-contact", "quorum", "chunks of a snapshot do not tell a voter that its leader lives",
          snapshots, "on_fetch_snapshot_response", _is_no_contact)),
    ("s05_chunks_are_contact",
     _bug("hears-no-voter-that-fetches-chunks", "quorum", "who asks for chunks is not heard of by its leader",
          snapshots, "serving", _hears_no_voter)),
    ("g11_second_life",
     _bug("fences-no-first-life", "groups", "the first life of a static member goes on beside the second",
          classic_rules, "known_member", lambda sound: answering(sound, ErrorCode.NONE, granted=True))),
    ("g11_second_life",
     _bug("has-all-divide-again", "groups", "the second life of a static member has the whole group divide again",
          joining, "_replace_static", _has_all_divide_again)),
    ("g12_deleted_and_loaded_again",
     _bug("reads-no-deletion", "groups", "a new coordinator knows offsets that were deleted",
          loading.Loading, "take", _reads_no_deletion)),
    *(("f02_fetch_sessions", bug) for bug in SESSION_BUGS),
    *((script, bug) for bug in (*VOTER_BUGS, *ZOOKEEPER_BUGS) if (script := BY_SCRIPT.get(bug.name))),
)  # fmt: skip
"""With the scenario that kills it: an expectation does not hold, or a rule is violated."""
