"""What the header says of a run's timers."""

from __future__ import annotations

import json

import pytest

from cluster.model.settings import Settings, classroom_timing, kafka_timing, setting_names
from workbench.session.views.timers import timer_words


def config(settings: Settings) -> str:
    return json.dumps({name: getattr(settings, name) for name in setting_names()})


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        (classroom_timing(), "timers 1/6 of Kafka's"),
        (kafka_timing(), "timers as in Kafka"),
        (classroom_timing().scaled(5), "timers 0.83 x Kafka's"),
        (classroom_timing().scaled(20), "timers 3.3 x Kafka's"),
        (kafka_timing().scaled(20), "timers 20 x Kafka's"),
    ],
)
def test_the_timers_of_a_run_are_told_beside_kafkas(settings: Settings, words: str) -> None:
    assert timer_words(config(settings)) == words


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "[" * 60_000, "x" * 70_000, '{"quorum_election_timeout_ms": null}'],
)
def test_what_makes_no_sense_says_nothing(text: str) -> None:
    assert timer_words(text) == ""


@pytest.mark.parametrize("value", [0, -1, 1e999, float("nan"), "fast", 10_000])
def test_timers_of_no_one_scale_are_not_called_one(value: object) -> None:
    known = json.loads(config(kafka_timing())) | {"broker_session_timeout_ms": value}
    assert timer_words(json.dumps(known)) == ""
