"""What run.json may say: a folder from somebody else is looked at before it is believed."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.model.identifiers import OF_ONE_ROLE_MAX
from cluster.model.settings import classroom_timing, kafka_timing
from cluster.runtime.run.facts import STATES, BadFacts, RunFacts, checked_facts
from cluster.runtime.run.folder import FACTS, RunError, read_facts


def plain(**changes: Any) -> dict[str, Any]:
    """As it stands in the file of a run that is up."""
    spec = ClusterSpec(brokers=2)
    facts = RunFacts(
        id="20260101-120000-000ab",
        title="A title",
        created="2026-01-01T12:00:00",
        state="running",
        controllers=spec.voters,
        brokers=spec.broker_ids,
        settings=asdict(classroom_timing()),
        base_port=19092,
        duration_s=5.5,
        ports=dict(zip(spec.nodes, range(19092, 19097), strict=True)),
        client_ports={1: 19097, 2: 19098},
        clock_shift_ns=-5,
        version="1.1",
    )
    found: dict[str, Any] = json.loads(json.dumps(asdict(facts)))
    return found | changes


def test_what_a_run_writes_is_what_is_read() -> None:
    facts = checked_facts(plain())
    assert json.loads(json.dumps(asdict(facts))) == plain()
    assert facts.ports == {101: 19092, 102: 19093, 103: 19094, 1: 19095, 2: 19096}


@pytest.mark.parametrize("combined", [True, False])
@pytest.mark.parametrize(("controllers", "brokers"), [(1, 0), (3, 3), (OF_ONE_ROLE_MAX, OF_ONE_ROLE_MAX)])
def test_every_cluster_that_can_be_asked_for_is_taken(controllers: int, brokers: int, combined: bool) -> None:
    spec = ClusterSpec(controllers=controllers, brokers=brokers, combined=combined)
    changes = {"controllers": list(spec.voters), "brokers": list(spec.broker_ids), "ports": None, "client_ports": None}
    for state in STATES:
        assert checked_facts(plain(**changes, state=state)).roles(spec.voters[0])[0] == "controller"


@pytest.mark.parametrize("factor", [0.1, 1000])
def test_settings_that_were_stretched_as_far_as_can_be_are_taken(factor: float) -> None:
    for timing in (classroom_timing(), kafka_timing()):
        checked_facts(plain(settings=asdict(timing.scaled(factor))))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("id", "\x1b[2Jid\x07"),
        ("id", "../../../x"),
        ("id", 7),
        ("title", None),
        ("state", "flying"),
        ("world", "dream"),
        ("parent", "../x"),
        ("brokers", [1, 1, 2]),
        ("brokers", [101, 2, 3]),
        ("brokers", list(range(1, 41))),
        ("brokers", "12"),
        ("brokers", [1.5]),
        ("controllers", [101, 101, 102]),
        ("controllers", []),
        ("controllers", list(range(101, 5000))),
        ("controllers", [True]),
        ("base_port", 80),
        ("base_port", 65_535),
        ("ports", {"101": 70_000}),
        ("ports", {"7": 19092}),
        ("ports", [19092]),
        ("client_ports", {"101": 19092}),
        ("seed", -1),
        ("seed", "\x1b]0;seed\x07"),
        ("seed", 1 << 64),
        ("lab_pid", -1),
        ("duration_s", 0),
        ("duration_s", float("inf")),
        ("branch_s", float("nan")),
        ("branch_events", -1),
        ("clock_shift_ns", 1 << 70),
        ("detached", "yes"),
        ("settings", []),
        ("settings", {"no_such": 1}),
        ("settings", {"quorum_fetch_timeout_ms": 0}),
        ("settings", {"quorum_fetch_timeout_ms": "fast"}),
        ("settings", {"quorum_fetch_timeout_ms": True}),
        ("settings", {"pre_vote": 1}),
        ("settings", {"truncation_mode": "guess"}),
        ("settings", {"offsets_topic_partitions": 1 << 40}),
        ("version", "1.x"),
        ("version", 1.1),
        ("colour", "blue"),
    ],
)
def test_a_value_that_no_run_has_is_refused_by_name_and_made_visible(tmp_path: Path, name: str, value: object) -> None:
    (tmp_path / FACTS).write_text(json.dumps(plain(**{name: value})))
    with pytest.raises(RunError) as error:
        read_facts(tmp_path)
    told = str(error.value)
    assert told.startswith(f"{FACTS}: ") and name in told and "; needed: " in told
    assert told.isprintable() and told.isascii() and len(told) < 500


def test_each_field_that_has_no_default_has_to_be_there() -> None:
    for name in ("id", "title", "created", "state", "controllers", "brokers", "settings"):
        facts = plain()
        del facts[name]
        with pytest.raises(BadFacts, match=f"{name} is None; needed: a value"):
            checked_facts(facts)


def test_a_newer_minor_version_may_hold_more() -> None:
    assert checked_facts(plain(colour="blue", version="1.99")).version == "1.99"
