"""How a field of an event is said."""

from __future__ import annotations

import pytest

from cluster.model import events as ev
from workbench.telling.template import fill

ELECTED = ev.LeaderElected(epoch=3, epoch_start_offset=0, votes=(101, 102))
REFUSED = ev.ProduceRefused(topic="a\x1bb", partition=0, client_id="", error=19, acks=-1)


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("e{epoch} from {epoch_start_offset}, votes {votes}", "e3 from 0, votes n101,n102"),
        ("{votes:vote} of {votes:and}", "2 votes of n101 and n102"),
        ("{epoch_start_offset:from {}/not known}", "from 0"),
    ],
)
def test_a_field_is_said_as_its_type_and_its_form_ask_for(template: str, text: str) -> None:
    assert fill(template, ELECTED) == text


def test_errors_have_their_names_and_a_log_its_number() -> None:
    assert fill("{log}: {error}, acks={acks:acks}", REFUSED) == "a\u241bb-0: NOT_ENOUGH_REPLICAS, acks=all"


def test_where_there_is_nothing_the_other_words_stand() -> None:
    assert fill("{client_id:{}/nobody}", REFUSED) == "nobody"
    assert fill("{offset:as of {}/no record}", ELECTED, {"offset": ""}) == "no record"


def test_an_error_of_minus_one_is_one() -> None:
    failed = ev.ProduceRefused(topic="a", partition=0, client_id="c", error=-1, acks=1)
    assert fill("{error:no/ack}", failed) == "no"


def test_what_an_event_holds_is_no_template() -> None:
    named = ev.ProduceRefused(topic="{error}{0}", partition=0, client_id="{acks}", error=19, acks=1)
    assert fill("{log} {client_id}", named) == "{error}{0}-0 {acks}"


def test_what_nobody_knows_is_no_sentence() -> None:
    with pytest.raises(KeyError):
        fill("{silence_ms} ms", ELECTED)
    assert fill("{silence_ms} ms", ELECTED, {"silence_ms": 12}) == "12 ms"
