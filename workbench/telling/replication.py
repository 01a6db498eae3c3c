"""Partitions: who leads and follows, what is written, committed and cut, who is in sync."""

from __future__ import annotations

from cluster.model.errors import ErrorCode
from cluster.model.events import fetch_session, producer, replica
from cluster.model.identifiers import NO_NODE
from workbench.telling.controller import WHOLE_WITH
from workbench.telling.quorum import ENDS, PARTS_AT, PARTS_FROM
from workbench.telling.telling import (
    ACT,
    ANSWER,
    BAD,
    CUT,
    DIM,
    FOLLOW,
    GOOD,
    INFO,
    SCISSORS,
    WARN,
    Cell,
    Printed,
    Row,
    Telling,
)
from workbench.telling.template import fill


def _session_refused(e: fetch_session.FetchSessionRefused) -> str:
    is_late = e.error == ErrorCode.INVALID_FETCH_SESSION_EPOCH
    why = "got it out of turn" if is_late else "does not know it"
    return fill(f"refuses fetch session {{session_id}} of {{fetcher:fetcher}}: {why} (error {e.error})", e)


def _answered(e: replica.ProduceAnswered) -> str:
    """What a broker tells a producer."""
    if e.error:
        return fill("{log} answers {client_id}, acks={acks:acks}: {error}", e)
    return fill("{log} acknowledges {count:record} of {client_id}, acks={acks:acks}, offset {offsets}", e)


TO_ITS_HIGH_WATERMARK = "its log went to {old_end_offset}, and it kept what it knew to be committed, up to {end_offset}"
"""What a follower does that asks nobody where to cut."""
TELLINGS: dict[type, Telling] = {
    replica.BecameLeader: Printed(
        GOOD,
        "\u2605 leads {log} e{leader_epoch} from {epoch_start_offset}, HW {high_watermark}",
        cell=Cell(ACT, "\u2605 {who}", "topic partition leader_epoch"),
        question="Why does {who} lead {log} in e{leader_epoch}?",
    ),
    replica.BecameFollower: Telling(
        INFO,
        "follows {leader} for {log} e{leader_epoch}, LEO {log_end_offset}",
        cell=Cell(
            FOLLOW,
            lambda e, name, _: f"{name} \u25b8{e.leader}" if e.leader != NO_NODE else "",
            "topic partition leader_epoch",
        ),
    ),
    replica.ReplicaAppended: Telling(DIM, "{log} [{base_offset},{end_offset}) e{leader_epoch} as {role}"),
    replica.ReplicaTruncated: Printed(
        BAD,
        "\u2702 {log} {old_end_offset}\u2192{end_offset} ({mode}): {why}",
        cell=Cell(CUT, "\u2702 {who}"),
        row=Row("\u2702 {old_end_offset}\u2192{end_offset}"),
        mark=SCISSORS,
        question="Why does {who} cut its log from {old_end_offset} to {end_offset}?",
        reasons=(lambda e, _: fill(TO_ITS_HIGH_WATERMARK if e.mode == "hw" else PARTS_FROM, e),),
    ),
    replica.CorruptBatchRefused: Telling(BAD, "{log} {base_offset:overlaps/fails its CRC} at {offset}: not written"),
    replica.ReplicaDiverged: Printed(
        WARN,
        "{log} of {replica_id} diverges at {fetch_offset}@e{last_fetched_epoch}: "
        "e{diverging_epoch} ends {diverging_end_offset} here",
        cell=Cell(ANSWER, ENDS, "replica_id diverging_epoch"),
        row=Row("e{diverging_epoch} " + ENDS, "replica_id"),
        reasons=(PARTS_AT,),
    ),
    replica.EpochEndAnswered: Printed(
        INFO,
        "{log} told {replica_id} where e{asked_epoch} ends: {end_offset:{}/not known here}{found_epoch: (e{})/}",
        cell=Cell(ANSWER, "ends {end_offset}", "replica_id asked_epoch end_offset"),
    ),
    replica.FetchRefused: Printed(
        WARN,
        "fetch of {log} by {replica_id} refused: {error} (its e{their_epoch}, mine e{our_epoch})",
        row=Row(
            "{error}",
            "replica_id",
            BAD,
            few=(lambda e: "\u2717 fenced" if e.error == ErrorCode.FENCED_LEADER_EPOCH else "\u2717 epoch",),
        ),  # fmt: skip
    ),
    replica.FollowerProgress: Telling(DIM, "{log} {replica_id} is at {log_end_offset} of {leader_log_end_offset}"),
    replica.HighWatermarkAdvanced: Telling(DIM, "{log} committed below {high_watermark} ({role})"),
    replica.IsrProposed: Printed(
        WARN,
        "{log} asks ISR {old_isr} \u2192 {isr}: {why}",
        cell=Cell(ACT, "ISR {isr:size}?", "topic partition partition_epoch"),
        reasons=(
            "{replica_id:node} had not caught up for {not_caught_up_ms} ms, "
            "and {replica.lag.time.max.ms} ms are allowed",
            "{replica_id:node} has the log to {log_end_offset}, and committed is {high_watermark}",
            "{why}",
        ),
        silence=("not_caught_up_ms", "replica_id"),
    ),
    replica.IsrCommitted: Telling(
        INFO,
        "{log} ISR is {isr} (partition epoch {partition_epoch})",
        cell=Cell(ACT, "ISR {isr:size}", "topic partition partition_epoch"),
    ),
    replica.IsrRefused: Printed(
        BAD, "{log} ISR change refused: {error}", cell=Cell(ANSWER, "ISR no", "topic partition error")
    ),
    replica.ReplicaLagging: Telling(WARN, "{log} {replica_id} {lagging:falls behind/caught up}"),
    replica.ProduceRefused: Telling(
        BAD,
        "{log} acks={acks:acks} from {client_id} refused: {error}",
        question="Why does {who} refuse to write?",
        reasons=("acks={acks:acks} needs {min.insync.replicas} in sync, and {isr:are}",),
    ),
    replica.ProduceAnswered: Telling(
        DIM, _answered, cell=Cell(ANSWER, "{who} {error:no/ack}", "topic partition error")
    ),
    replica.LogStartAdvanced: Printed(INFO, "{log} deleted before {log_start_offset} as {role}"),
    replica.SegmentsExpired: Printed(
        INFO,
        lambda e: fill(
            "{log} lets {segments:segment} go, up to {end}: {setting} is {limit}", e, {"end": e.segments[-1][1]}
        ),
    ),
    replica.CleaningBegan: Telling(
        INFO, "{log} compacts its log below {end_offset}; new is what is from {dirty_offset} on"
    ),
    replica.ReadReplicaChosen: Printed(
        INFO, "{log} sends a consumer in rack {rack} to {replica_id}, from {fetch_offset}", is_detail=False
    ),
    replica.FollowerRead: Printed(
        DIM,
        lambda e: fill(
            "{log} gives a consumer {count:record} as follower, to {end_offset}, HW {high_watermark}",
            e,
            {"count": e.end_offset - e.fetch_offset},
        ),
    ),
    replica.EpochAdopted: Telling(
        DIM,
        "{log} holds all with which e{leader_epoch} began (to {epoch_start_offset}): it counts from now on",
    ),
    replica.LogEndReported: Printed(
        INFO, "{log} has no leader in e{leader_epoch}: tells its log end {log_end_offset}" + WHOLE_WITH
    ),
    fetch_session.FetchSessionOpened: Printed(
        DIM, "begins fetch session {session_id} for {fetcher:fetcher}, of {partitions:partition}"
    ),
    fetch_session.FetchSessionRefused: Printed(INFO, _session_refused),
    producer.ProduceDuplicated: Telling(
        WARN,
        "{log} {client_id} sent sequence {base_sequence} of producer {producer_id} again: it stands at {base_offset}",
    ),
}
