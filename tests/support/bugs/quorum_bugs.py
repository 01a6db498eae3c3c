"""Bugs of the quorum."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from cluster.model.effects import Emit, Truncate
from cluster.model.events import MetadataTruncated
from cluster.model.identifiers import METADATA, LogEnd
from cluster.model.ruling import Ruling
from cluster.raft import election, following, leadership, quorum, serving
from cluster.raft.roles import Role
from cluster.raft.state import QuorumState
from cluster.storage import node_store
from tests.support.bugs.planted import PlantedBug


def _ignores_the_log(grant: Any) -> Any:
    return lambda facts, request: grant(replace(facts, log_end=LogEnd(0, 0)), request)


def _any_epoch(advance: Any) -> Any:
    return lambda ends, _start, high_watermark: advance(ends, -1, high_watermark)


def _takes_any_answer(on_response: Any) -> Any:
    def on_fetch_response(state: QuorumState, sender: int, correlation: int, response: Any) -> Any:
        if response.leader_epoch == state.epoch or response.diverging is not None:
            correlation = state.fetch_correlation
            response = replace(response, leader_epoch=max(state.epoch, response.leader_epoch))
        return on_response(state, sender, correlation, response)

    return on_fetch_response


def _cuts_one_more(truncation_point: Any) -> Any:
    def cut(epochs: Any, end: int, diverging: Any) -> Ruling[int]:
        ruling: Ruling[int] = truncation_point(epochs, end, diverging)
        ruling.value = max(0, ruling.value - 1)
        return ruling

    return cut


def _never_diverges(_rule: Any) -> Any:
    return lambda *_given: Ruling(None, False, "planted")


def _leads_on(start: Any) -> Any:
    """After a restart the old leader campaigns without a new epoch."""

    def _start(self: quorum.Quorum, now_ms: int) -> list[Any]:
        saved = self._persisted
        if saved is not None and saved.leader_id == self._state.node_id and saved.epoch >= self._state.log.last_epoch:
            state = self._state
            state.epoch, state.voted_for = saved.epoch, state.node_id
            state.role = Role.CANDIDATE
            state.granted = {state.node_id, *state.others[:1]}
            return leadership.become_leader(state, now_ms)
        return start(self, now_ms)  # type: ignore[no-any-return]

    return _start


def _empty_election(_read: Any) -> Any:
    return lambda _disk: None


def _all_is_committed(follower_high_watermark: Any) -> Any:
    return lambda known, leaders, own_end: follower_high_watermark(known, max(leaders, own_end), own_end)


def _one_past(follower_high_watermark: Any) -> Any:
    return lambda known, leaders, own_end: follower_high_watermark(known, min(leaders, own_end) + 1, own_end + 1)


def _takes_back(become_leader: Any) -> Any:
    """A new leader cuts the record that begins its epoch."""

    def become(state: QuorumState, now_ms: int) -> Any:
        end = state.log.log_end_offset
        effects = become_leader(state, now_ms)
        cut = MetadataTruncated(end_offset=end, old_end_offset=end + 1, high_watermark=state.high_watermark, why="bug")
        return [*effects, Emit(cut), Truncate(METADATA, end)]

    return become


def _always_the_same(_correlation: Any) -> Any:
    return lambda _self: 4


QUORUM_BUGS = (
    PlantedBug("votes-for-short-logs", "quorum", "a voter does not compare logs",
               frozenset({"R4", "R9", "R12", "R17", "T5"}), ((election, "grant_vote", _ignores_the_log),)),
    PlantedBug("commits-older-epochs", "quorum", "a leader counts records of older epochs as committed",
               frozenset({"R11"}), ((serving, "advance_high_watermark", _any_epoch),)),
    PlantedBug("forgets-everything", "quorum", "quorum-state is not read at a restart",
               frozenset({"R2", "R5"}), ((node_store, "read_election", _empty_election),)),
    PlantedBug("takes-late-answers", "quorum", "a fetch answer that nobody waits for is used",
               frozenset({"R8", "R12", "R13", "R17", "T5"}), ((following, "on_fetch_response", _takes_any_answer),)),
    PlantedBug("cuts-too-much", "quorum", "a follower cuts one record more than the logs differ in",
               frozenset({"R12", "R13", "T5"}), ((following, "truncation_point", _cuts_one_more),), seeds=(5,)),
    PlantedBug("never-diverges", "quorum", "a leader does not compare epochs",
               frozenset({"R8", "R10", "R12", "R17", "T5"}), ((serving, "diverging_epoch", _never_diverges),),
               seeds=(5,)),
    PlantedBug("all-is-committed", "quorum", "a follower takes all it holds for committed",
               frozenset({"R17"}), ((following, "follower_high_watermark", _all_is_committed),)),
    PlantedBug("leads-on-after-restart", "quorum", "a leader that restarts leads on in its old epoch",
               frozenset({"R1", "R3", "R16", "R7"}), ((quorum.Quorum, "_start", _leads_on),), seeds=(19,)),
    PlantedBug("takes-back-its-record", "quorum", "a new leader cuts the record that begins its epoch",
               frozenset({"R7"}), ((leadership, "become_leader", _takes_back),)),
    PlantedBug("numbers-all-alike", "quorum", "all requests have the same number, so any answer fits",
               frozenset({"R13"}), ((QuorumState, "correlation", _always_the_same),), seeds=(5,)),
    PlantedBug("runs-ahead-of-its-log", "quorum", "a follower's high watermark passes the end of its log",
               frozenset({"R21"}), ((following, "follower_high_watermark", _one_past),)),
)  # fmt: skip
