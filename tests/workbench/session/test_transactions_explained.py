"""Why transactions end and replicas move, in clauses for people."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from tests.support.traces.transactions_played import transactions_and_a_move
from workbench.session.explanation import Explanation, explanation
from workbench.session.recording import Recording
from workbench.telling.telling import ABORT, MOVE
from workbench.tui.seek import seek


@pytest.fixture(scope="module")
def recording() -> Recording:
    recording = Recording()
    recording.extend(transactions_and_a_move().entries)
    return recording


def of_state(recording: Recording, name: str, state: str) -> Explanation:
    """Why the transaction of an id came to that."""
    place = next(
        index
        for index, entry in enumerate(recording.entries)
        if isinstance(entry.event, ev.TransactionStateChanged)
        and (entry.event.transactional_id, entry.event.state) == (name, state)
    )
    return explanation(recording, place)


def of_kind(recording: Recording, kind: type) -> Explanation:
    return explanation(recording, [i for i, entry in enumerate(recording.entries) if isinstance(entry.event, kind)][-1])


def test_a_transaction_is_aborted_for_its_time_or_for_the_next_producer(recording: Recording) -> None:
    late = of_state(recording, "idle", "PrepareAbort")
    assert late.question == "Why is the transaction of idle aborted?"
    assert late.sentence.startswith("Because the transaction was open for ")
    assert late.sentence.endswith(" ms, and its producer had asked for 1000 ms at most.")
    taken = of_state(recording, "taken", "PrepareAbort").sentence
    assert taken == "Because the next producer of its transactional id begins."


def test_a_transaction_is_committed_and_complete(recording: Recording) -> None:
    assert "asked to commit it" in of_state(recording, "done", "PrepareCommit").sentence
    complete = of_state(recording, "done", "CompleteCommit")
    assert complete.question == "Why is the transaction of done complete?"
    assert "each of its partitions has the marker" in complete.sentence


def test_a_marker_says_what_readers_make_of_it(recording: Recording) -> None:
    assert "readers of committed records leave out what stands from" in of_kind(recording, ev.MarkerWritten).sentence


def test_each_step_of_a_move_has_its_reason(recording: Recording) -> None:
    begun, ended = of_kind(recording, ev.ReassignmentBegun), of_kind(recording, ev.ReassignmentEnded)
    assert begun.question == "Why does orders-0 move?"
    assert "n3 copies first, and n1 leaves when all others are in sync" in begun.sentence
    assert ended.sentence == "Because all of n3 and n2 are in sync, so n1 is not needed any more."
    moving = next(
        index
        for index, entry in enumerate(recording.entries)
        if isinstance(entry.event, ev.PartitionDecided) and entry.event.why.startswith("reassigned")
    )
    sentence = explanation(recording, moving).sentence
    assert sentence == "Because its replicas move: until all that come are in sync, n3, n2 and n1 are its replicas."


def test_aborts_and_moves_are_marked_and_can_be_sought(recording: Recording) -> None:
    marks = [mark for mark in recording.timeline.marks if mark.glyph in (ABORT, MOVE)]
    assert [mark.glyph for mark in marks] == [ABORT, ABORT, MOVE, MOVE]
    assert marks[-1].text == "orders-0 has moved to n3 and n2, away from n1."
    recording.seek(1)
    assert seek("next abort", recording).cursor == marks[0].place + 1
    assert seek("next move", recording).cursor == marks[2].place + 1
    recording.go_live()


def test_the_headline_of_a_move_names_who_had_it(recording: Recording) -> None:
    told = [moment.text for moment in recording.story.moments if "has moved" in moment.text]
    assert told[-1] == "orders-0 has moved to n3 and n2, away from n1. n3 leads orders-0 in e1."
