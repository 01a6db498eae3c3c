"""Bugs that clients notice, or those who wait, that a hunt seals."""

from __future__ import annotations

from typing import Any

from cluster.clients import client
from cluster.controller import controller
from cluster.replication import waiting_produces
from workbench.challenges.bugs.planted_bug import PlantedBug, answering


def _looks_at_nobody(_on_session_check: Any) -> Any:
    return lambda _state, _batch, _now_ms: None


def _answers_nobody(_answer_waiting: Any) -> Any:
    return lambda _state: []


def _never_in_doubt(may_have_happened: Any) -> Any:
    return answering(may_have_happened, value=False, granted=False)


CLIENTS = (
    PlantedBug("never-fences", "clients", "the controller does not notice that a broker is silent",
        frozenset({"L10"}), ((controller, "on_session_check", _looks_at_nobody),)),
    PlantedBug("answers-nobody", "clients", "a leader answers no producer when its records are committed",
        frozenset({"L4"}), ((waiting_produces, "answer_waiting", _answers_nobody),), seeds=(115,)),
    PlantedBug("calls-doubt-failure", "clients", "a client calls a failure what may have been written",
        frozenset({"C3"}), ((client, "may_have_happened", _never_in_doubt),), seeds=(15,)),
)  # fmt: skip
