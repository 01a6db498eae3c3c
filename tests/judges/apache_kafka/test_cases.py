"""Which clusters of a script Apache Kafka can be, what it is asked, and where states are compared."""

from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from cluster.scenario.script import Do, Expect, Keep
from judges.apache_kafka.cases import SETTLE, Case, cases_of, for_kafka, is_asked
from judges.apache_kafka.properties import WATCHED_EVERY_MS

SCENARIOS = Path(__file__).parents[2] / "scenarios"
HEAD = "cluster controllers=3 brokers=3"


def case_of(tmp_path: Path, *lines: str, head: str = HEAD) -> Case:
    path = tmp_path / "x01_try.txt"
    path.write_text("\n".join([head, *lines]) + "\n")
    (found,) = cases_of(path)
    return found


def kinds_of(case: Case) -> list[str]:
    return [step.text for step in case.script.sections[0].steps if isinstance(step, Do | Expect | Keep)]


def test_states_are_compared_where_the_script_has_waited_and_at_its_end(tmp_path: Path) -> None:
    case = case_of(tmp_path, "kill 1", "start 1", "expect unfenced 1", "kill 2", "expect fenced 2")
    assert kinds_of(case) == [
        "kill 1", "start 1", "expect unfenced 1", SETTLE, "kill 2", "expect fenced 2", SETTLE,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("head", "lines", "why"),
    [
        (f"{HEAD} hw_gate=off", [], "hw_gate=false: Kafka 4 has no such switch"),
        (f"{HEAD} truncation_mode=kip101", [], "truncation_mode=kip101: Kafka 4 has no such switch"),
        (HEAD, ["tear 3 orders-0"], "'tear' cannot be done to Apache Kafka from outside"),
        (HEAD, ["power-loss 1 keep=prefix"], "what a disk keeps of unflushed writes cannot be laid down"),
        (HEAD, ["at 2s kill 1"], "it does something at a time"),
        (HEAD, ["topic orders", "kill leader(orders-0)"], "it names a node by the part it plays"),
        (HEAD, ["topic orders", "produce orders 5 in-flight=5"], "it needs a producer with keys"),
    ],
)  # fmt: skip
def test_what_kafka_cannot_be_is_not_judged(tmp_path: Path, head: str, lines: list[str], why: str) -> None:
    assert case_of(tmp_path, *lines, head=head).why_not.startswith(why)


def test_all_worlds_write_high_watermarks_to_disk_as_often_unless_the_script_says_how_often(tmp_path: Path) -> None:
    name = "high_watermark_checkpoint_interval_ms"
    assert dict(case_of(tmp_path, "kill 1").plan.overrides)[name] == WATCHED_EVERY_MS
    assert dict(case_of(tmp_path, "kill 1", head=f"{HEAD} {name}=700").plan.overrides)[name] == 700


def test_a_reassignment_and_another_setting_can_be_asked_of_kafka(tmp_path: Path) -> None:
    moved = "topic orders assign=1,2", "reassign orders-0 3", "alter orders min-isr=1", "expect replicas orders-0 = 3"
    case = case_of(tmp_path, *moved)
    assert not case.why_not and not for_kafka(case)[1]


def test_each_cluster_of_a_script_is_a_case_of_its_own() -> None:
    found = cases_of(SCENARIOS / "p12_isr_falls_after_append.txt")
    assert [(case.name, bool(case.why_not)) for case in found] == [
        ("p12_isr_falls_after_append [gate]", False),
        ("p12_isr_falls_after_append [no_gate]", True),
    ]


def test_one_controller_is_enough_where_none_is_touched_or_asked(tmp_path: Path) -> None:
    assert not case_of(tmp_path, "kill 1").needs_quorum
    assert case_of(tmp_path, "kill 101").needs_quorum
    assert case_of(tmp_path, "expect leader of quorum").needs_quorum


def test_what_cannot_be_seen_is_left_out_and_told(tmp_path: Path) -> None:
    case = case_of(
        tmp_path, "topic orders", "kill 1", "expect leader orders-0 = 2 within 3s", "expect verdict P1 holds",
        "expect event rep.diverged on 2", "expect truncated orders-0 on 1",
    )  # fmt: skip
    script, left_out = for_kafka(case)
    assert left_out == ["expect verdict P1 holds", "expect event rep.diverged on 2", "expect truncated orders-0 on 1"]
    asked = [step for step in script.sections[0].steps if isinstance(step, Expect)]
    assert [(step.text, step.within_ms) for step in asked] == [("expect leader orders-0 = 2 within 3s", None)]


def test_what_is_to_hold_for_some_time_is_waited_for_first(tmp_path: Path) -> None:
    """Scenario r16 waits for an event that Kafka cannot be asked for, and then keeps what follows from it."""
    script, left_out = for_kafka(
        case_of(tmp_path, "expect event raft.role_changed on 101", "keep no leader of quorum for 2s")
    )
    assert left_out == ["expect event raft.role_changed on 101"]
    kinds = [(type(step), step.text) for step in script.sections[0].steps if "quorum" in step.text]
    assert kinds == [(Expect, "keep no leader of quorum for 2s"), (Keep, "keep no leader of quorum for 2s")]


@pytest.mark.parametrize(
    ("condition", "asked"),
    [
        ("isr orders-0 = 1,2", True),
        ("high_watermark orders-0 on 1 = 3", True),
        ("high_watermark metadata on 101 >= 1", False),
        ("event ctl.partition_changed leader=-1 isr=1", True),
        ("event ctl.partition_changed why=x", False),
        ("events rep.truncated = 0", False),
        ("durable orders-0 on 1 = 3", False),
        ("identical orders-0", True),
        ("identical metadata", False),
    ],
)
def test_conditions_are_asked_when_their_answer_can_be_seen(condition: str, asked: bool) -> None:
    _, step = parse_script(f"{HEAD}\ntopic orders\nexpect {condition}\n").sections[0].steps
    assert isinstance(step, Expect)
    assert is_asked(step.condition) is asked
