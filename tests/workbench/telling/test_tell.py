from __future__ import annotations

import pytest

from cluster.model import events as ev
from cluster.model.events import CATALOGUE
from cluster.model.exit_codes import STORAGE_FAILED
from tests.support.fault_events import fault_fields
from tests.support.traces import story
from workbench.support.safe_text import safe_text
from workbench.telling.tell import TELLINGS, describe, printed_line, who


def test_every_event_of_the_catalogue_has_a_sentence() -> None:
    assert set(TELLINGS) == set(CATALOGUE.values())


@pytest.mark.parametrize("payload", story.HOSTILE)
def test_no_sentence_carries_a_control_or_direction_character(payload: str) -> None:
    for entry in story.hostile_story(payload):
        text = describe(entry)
        assert "\x1b" not in text and "\u202e" not in text and text.isprintable(), text


def test_safe_text_shows_what_it_found() -> None:
    assert safe_text("\x1b[2J\u202e\x9b") == "\u241b[2J<U+202E><U+009B>"
    assert safe_text("a" * 10, limit=4) == "aaaa... 6 more"
    assert safe_text(b"\xff") == "\ufffd"
    assert len(safe_text("e" + "\u0301" * 30)) == 5


def test_sentences_speak_the_words_of_kafka_and_of_the_grammar() -> None:
    told = story.Story()
    told.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=-9, expected=True))
    told.say(0, ev.FaultApplied(**fault_fields(4, "FsyncLie", "2")))
    told.say(1002, ev.OperationInvoked(client_id="producer-2", operation_id=1, function="produce", topic="orders",
                                       partition=0, value="a", acks=-1))  # fmt: skip
    told.say(1002, ev.OperationInvoked(client_id="producer-2", operation_id=2, function="produce", topic="orders",
                                       partition=2, value="a-1 to a-3", acks=-1,
                                       keys=("ann", "ben", "ann")))  # fmt: skip
    told.say(1002, ev.OperationSucceeded(client_id="producer-2", operation_id=1, function="produce", topic="orders",
                                         partition=0, base_offset=5, count=3, values=()))  # fmt: skip
    told.say(1002, ev.OperationSucceeded(client_id="admin-3", operation_id=1, function="delete_records", topic="orders",
                                         partition=0, base_offset=4, count=0, values=()))  # fmt: skip
    told.say(3, ev.LogRecovered(topic="orders", partition=0, valid_bytes=1, dropped_bytes=0, log_end_offset=6,
                                high_watermark=6, batches=(), why="scanned", log_start_offset=4))  # fmt: skip
    assert [f"{who(entry)} {describe(entry)}" for entry in told.entries] == [
        "n3 ended: SIGKILL",
        "lab fault 4 in force: fsync lie 2",
        "client producer-2 #1 produce orders-0 acks=all a",
        "client producer-2 #2 produce orders-2 acks=all a-1 to a-3 key ann, ben",
        "client producer-2 #1 produce orders-0: 3 records acknowledged, offset 5 to 7",
        "client admin-3 #1 delete records orders-0: the log begins at offset 4",
        "n3 orders-0 opened (scanned): begins at 4, LEO 6 HW 6",
    ]


def test_power_loss_says_how_much_was_not_durable_and_how_much_of_that_is_lost() -> None:
    told = story.Story()
    for files in ((("a", 425, 425, 0, 0), ("b", 9, 9, 9, 9)), (("a", 425, 425, 0, 340),), (("b", 9, 9, 9, 9),)):
        told.say(0, ev.PowerLost(node_id=3, files=files))
    assert [describe(entry) for entry in told.entries] == [
        "lost power: 425 bytes were not durable",
        "lost power: 425 bytes were not durable, 85 of them are lost",
        "lost power: everything was durable",
    ]


@pytest.mark.parametrize(("members", "told"), [(("a",), "with 1 member,"), (("a", "b"), "with 2 members,")])
def test_one_is_told_from_many(members: tuple[str, ...], told: str) -> None:
    story_ = story.Story()
    story_.say(1, ev.GroupGenerationBegan(group="g", generation=1, protocol="range", leader="a", members=members,
                                          subscriptions=()))  # fmt: skip
    assert told in describe(story_.entries[0])


@pytest.mark.parametrize(
    ("code", "told"),
    [
        (STORAGE_FAILED, "ended: exit 74 (its disk failed or is full), unasked"),
        (-9, "ended: SIGKILL, unasked"),
        (3, "ended: exit 3, unasked"),
    ],
)
def test_the_end_of_a_process_is_told_with_the_reason_that_its_exit_code_stands_for(code: int, told: str) -> None:
    teller = story.Story()
    teller.say(0, ev.ProcessExited(node_id=3, incarnation_number=0, exit_code=code, expected=False))
    assert describe(teller.entries[-1]) == told


@pytest.mark.parametrize(
    ("error", "count", "sentence"),
    [
        (0, 1, "orders-0 acknowledges 1 record of load-producer-2, acks=all, offset 132"),
        (0, 3, "orders-0 acknowledges 3 records of load-producer-2, acks=all, offset 132 to 134"),
        (7, 1, "orders-0 answers load-producer-2, acks=all: REQUEST_TIMED_OUT"),
    ],
)
def test_what_a_broker_tells_a_producer_has_no_code_of_no_error(error: int, count: int, sentence: str) -> None:
    event = ev.ProduceAnswered(
        topic="orders", partition=0, client_id="load-producer-2", error=error, acks=-1, base_offset=132, count=count
    )
    told = story.Story()
    told.say(1, event)
    assert describe(told.entries[-1]) == sentence


def test_an_end_that_was_asked_for_needs_no_line_and_one_that_was_not_has_one() -> None:
    told = story.Story()
    for exit_code, expected in ((-9, True), (70, False)):
        told.say(0, ev.ProcessExited(node_id=1, incarnation_number=0, exit_code=exit_code, expected=expected))
    assert [printed_line(entry) for entry in told.entries] == [None, ("n1", "ended: exit 70 (it crashed), unasked")]
