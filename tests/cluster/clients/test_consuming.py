"""What a consumer hands on of an answer, with markers and aborted transactions in it."""

from __future__ import annotations

from cluster.clients.consuming import readable
from cluster.model.events import OperationInvoked, OperationSucceeded
from cluster.model.inputs import ClientRequest
from cluster.model.messages import FetchRequest, FetchResponse
from cluster.model.record_batch import Record, decode_records, encode_batch, with_offset_and_epoch
from cluster.model.transaction_marker import Marker, encode_marker
from tests.support.worlds.talk import Talk


def batch(offset: int, value: str, producer: int = -1) -> bytes:
    sequenced = (producer, 0, 0) if producer >= 0 else (-1, -1, -1)
    return encode_batch([Record(None, value.encode())], offset, transactional=producer >= 0, sequenced=sequenced)


def marker(offset: int, producer: int, *, committed: bool) -> bytes:
    return with_offset_and_epoch(encode_marker(producer, 0, Marker(committed, 0)), offset, 0)


LOG = b"".join(
    (
        batch(0, "gone", 7), batch(1, "kept", 8), batch(2, "plain"), marker(3, 7, committed=False),
        batch(4, "again", 7), marker(5, 7, committed=True), marker(6, 8, committed=True),
    )
)  # fmt: skip


def test_markers_are_no_records_and_what_was_aborted_is_left_out_up_to_its_marker() -> None:
    def values(*aborted: tuple[int, int]) -> list[str]:
        answer = FetchResponse(topic="orders", partition=0, records=LOG, aborted=aborted)
        return [(decode_records(data)[0].value or b"").decode() for _, data in readable(answer) if data]

    assert values((7, 0)) == ["kept", "plain", "again"]
    assert values() == ["gone", "kept", "plain", "again"]


def test_a_consumer_of_committed_records_ends_at_the_last_stable_offset() -> None:
    talk = Talk()
    arguments: dict[str, str | int] = {"topic": "orders", "partition": 0, "offset": 0, "isolation": "read_committed"}
    talk.give(ClientRequest(operation="consume", arguments=arguments))
    talk.leader(1)
    talk.answer(
        FetchResponse(
            topic="orders", partition=0, high_watermark=9, last_stable_offset=7, records=LOG, aborted=((7, 0),)
        )
    )
    assert [asked.read_committed for asked in talk.asked(FetchRequest)] == [True], "it has reached its end"
    told = talk.named(OperationSucceeded)
    assert [event.stretches for event in told] == [((1, 2), (4, 1))]
    assert [event.end_offset for event in told] == [7], "behind markers and what was aborted"
    assert [event.isolation for event in talk.named(OperationInvoked)] == ["read_committed"]
    assert talk.client.idle
