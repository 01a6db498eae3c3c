"""Decisions of a group coordinator that do not follow from their numbers."""

from __future__ import annotations

from cluster.model import events as ev
from cluster.model.errors import ErrorCode
from tests.support.traces.decided import Case, cases, is_wrong, judged

COMMITTED = ev.OffsetsCommitted(group="g", member_id="a", generation=4, offset=9, offsets=(("orders", 0, 5),))


@cases(
    Case(
        "vote_protocol",
        ev.GroupGenerationBegan(
            group="g", generation=4, protocol="range", leader="a", members=("a", "b", "c"), subscriptions=()
        ),
        {"range": 2, "sticky": 1},
        ({"range": 1, "sticky": 2}, {"range": 1}, {"range": 1, "another": 1}),
        ({"range": 3, "sticky": 0},),
    ),
    Case(
        "may_commit",
        COMMITTED,
        {"its generation": 4, "group generation": 4, "state": "Stable"},
        ({"group generation": 5}, {"its generation": 3}, {"state": "CompletingRebalance"}),
        ({"state": "PreparingRebalance"}, {"its generation": -1, "state": "Empty"}),
    ),
    Case(
        "may_use_offsets",
        COMMITTED,
        {"its epoch": 4, "known epoch": 4},
        ({"its epoch": 3}, {"known epoch": 5}),
    ),
    Case(
        "heartbeat",
        ev.GroupRequestRefused(
            function="heartbeat", group="g", member_id="a", generation=4, error=ErrorCode.REBALANCE_IN_PROGRESS,
            group_generation=4, state="PreparingRebalance",
        ),
        {"state": "PreparingRebalance", "generation": 4},
        ({"state": "Stable"}, {"state": "Empty"}),
        granted=False,
    ),
    Case(
        "session_expired",
        ev.GroupMemberLeft(
            group="g", member_id="a", instance_id="", generation=4, why="session_expired", silent_ms=100
        ),
        {"silent_ms": 100, "session_timeout_ms": 100},
        ({"silent_ms": 99}, {"waits": 1, "is new": 0}),
        ({"waits": 1, "is new": 1}, {"waits": 0, "is new": 0}),
    ),
    Case(
        "preferred_assignor",
        ev.ConsumerGroupTargeted(
            group="g", group_epoch=4, assignor="range", offset=9, members=("a", "b"), subscriptions=(), assignments=()
        ),
        {"assignor": "range", "range": 1, "uniform": 1},
        ({"uniform": 2}, {"assignor": "uniform"}),
    ),
    Case(
        "reconcile",
        ev.ConsumerMemberReconciled(
            group="g", member_id="a", member_epoch=4, target_epoch=4, state="stable", offset=9,
            assigned=(("orders", 0),), revoking=(),
        ),
        {"member epoch": 4, "target epoch": 4, "may have": 1, "has to give up": 0, "not released yet": 0},
        ({"may have": 2}, {"has to give up": 1}, {"not released yet": 1}, {"loses": 2, "says it has of these": 1}),
        ({"loses": 2, "says it has of these": 0},),
    ),
)  # fmt: skip
def test_a_decision_of_a_coordinator_follows_from_its_numbers(case: Case) -> None:
    judged("GR20", case)


def refused(error: ErrorCode) -> ev.GroupRequestRefused:
    return ev.GroupRequestRefused(
        function="consumer heartbeat", group="g", member_id="a", generation=0, error=error, group_generation=4, state=""
    )


def not_taken(error: ErrorCode) -> ev.OffsetCommitRefused:
    return ev.OffsetCommitRefused(
        group="g", member_id="a", generation=4, error=error, group_generation=4, state="Stable", offsets=()
    )


JOINS = {"member epoch": 0, "member id": "a", "rebalance_timeout_ms": 9, "owned": 0, "topics": 1}
BAD = {**JOINS, "member id": " "}


@cases(
    Case("valid_request", refused(ErrorCode.INVALID_REQUEST), BAD, (JOINS, {**JOINS, "member epoch": 4}),
         ({**JOINS, "rebalance_timeout_ms": -1}, {**JOINS, "owned": 1}, {**JOINS, "member epoch": -3},
          {**JOINS, "member epoch": -2}, {**JOINS, "instance id": ""}, {**JOINS, "rack": " "}), granted=False),
    Case("valid_request", refused(ErrorCode.INVALID_REGULAR_EXPRESSION), {**JOINS, "pattern": "("},
         ({"pattern": ""},), granted=False),
    Case("valid_request", refused(ErrorCode.UNSUPPORTED_ASSIGNOR), {**JOINS, "assignor": "mine"},
         ({"assignor": ""}, {"assignors": "yours, mine"}), ({"assignors": "yours, mines"},), granted=False),
    Case("of_this_kind", refused(ErrorCode.GROUP_ID_NOT_FOUND), {"joins": 0, "has classic members": 0},
         ({"joins": 1}, {"is newer": 1}), ({"joins": 1, "has classic members": 1},), granted=False),
    Case("takes_classic_member", refused(ErrorCode.INCONSISTENT_GROUP_PROTOCOL), {"newer members": 1},
         ({"newer members": 0},), granted=False),
    Case("has_room", refused(ErrorCode.GROUP_MAX_SIZE_REACHED), {"members": 3, "most": 3},
         ({"members": 2},), ({"members": 4},), granted=False),
    Case("session_timeout", refused(ErrorCode.INVALID_SESSION_TIMEOUT), {"asked": 9, "least": 10, "most": 20},
         ({"asked": 10}, {"asked": 20}), ({"asked": 21},), granted=False),
    Case("known_member", refused(ErrorCode.FENCED_INSTANCE_ID), {"member id": "a", "holder": "b"},
         ({"holder": "a"}, {"holder": ""}), granted=False),
    Case("known_member", refused(ErrorCode.UNKNOWN_MEMBER_ID), {"members": 2}, (), granted=False),
    Case("member_epoch", refused(ErrorCode.FENCED_MEMBER_EPOCH), {"its epoch": 3, "known epoch": 4,
         "epoch before": 3, "owns too much": 1}, ({"its epoch": 4}, {"its epoch": 0}, {"owns too much": 0}),
         ({"its epoch": 2, "owns too much": 0},), granted=False),
    Case("may_commit", not_taken(ErrorCode.REBALANCE_IN_PROGRESS), {"its generation": 4, "group generation": 4,
         "state": "CompletingRebalance"}, ({"state": "Stable"}, {"state": "PreparingRebalance"}), granted=False),
    Case("may_commit", not_taken(ErrorCode.ILLEGAL_GENERATION), {"its generation": 3, "group generation": 4,
         "state": "Stable"}, ({"its generation": 4},), granted=False),
    Case("may_commit", not_taken(ErrorCode.UNKNOWN_MEMBER_ID), {"its generation": 4, "group generation": 4,
         "state": "Stable"}, (), granted=False),
    Case("may_use_offsets", not_taken(ErrorCode.STALE_MEMBER_EPOCH), {"its epoch": 3, "known epoch": 4},
         ({"its epoch": 4},), granted=False),
    Case("offset_expired", ev.OffsetsForgotten(group="g", why="expired", partitions=(("orders", 0),)),
         {"age_ms": 9, "retention_ms": 9}, ({"age_ms": 8}, {"is subscribed": 1})),
    Case("same_generation", refused(ErrorCode.ILLEGAL_GENERATION), {"its generation": 3, "group generation": 4},
         ({"its generation": 4},), granted=False),
)  # fmt: skip
def test_a_refusal_of_a_member_follows_from_what_it_said(case: Case) -> None:
    judged("GR20", case)


def test_a_member_that_is_fenced_in_its_own_epoch_is_found() -> None:
    is_wrong("GR20", Case("member_epoch", refused(ErrorCode.FENCED_MEMBER_EPOCH), {"its epoch": 4, "known epoch": 4},
                          (), granted=False))  # fmt: skip


def test_who_joins_without_saying_its_topics_is_refused() -> None:
    numbers = {name: number for name, number in JOINS.items() if name != "topics"}
    judged("GR20", Case("valid_request", refused(ErrorCode.INVALID_REQUEST), numbers, ({"topics": 1},), granted=False))
