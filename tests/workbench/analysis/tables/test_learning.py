"""Answers, time on task and the tables of a class, on literal rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from cluster.model import events as ev
from tests.support.fault_events import fault_fields
from tests.support.traces.made_events import RUN, at, by_script, frame, rows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
LAB, PLAYER, CLIENT = 0, 9001, 1001
MINUTE = 60_000.0
_TOLD = "run string, question string, answer string, right_answer string"
_ANSWERS = "run string, question string, answer string, is_right boolean, attempt bigint"


def _answered(t_ms: float, question: str, answer: str, right: str, seq: int) -> Any:
    return at(t_ms, PLAYER, ev.PredictionAnswered(question=question, answer=answer, right_answer=right), seq=seq)


def _answers(spark: SparkSession, events: list[Any], told: list[tuple[str, ...]]) -> DataFrame:
    from workbench.analysis.tables.answers import answers

    return answers(frame(spark, events), spark.createDataFrame(told, _TOLD))


def test_an_answer_is_right_when_the_run_says_so_and_neither_without_one_right_answer(spark: SparkSession) -> None:
    events = [_answered(5, "q1", "a", "b", 0), _answered(6, "q2", "b", "b", 1), _answered(7, "q3", "a", "", 2)]
    found = _answers(spark, events, [])
    assert rows(found, "question", "answer", "is_right", "attempt", "is_last", "t_ms", "source") == [
        ("q1", "a", False, 1, True, 5.0, "trace"),
        ("q2", "b", True, 1, True, 6.0, "trace"),
        ("q3", "a", None, 1, True, 7.0, "trace"),
    ]


def test_of_answers_json_only_what_the_trace_lacks_is_taken(spark: SparkSession) -> None:
    told: list[tuple[str, ...]] = [(RUN, "q1", "b", "b"), (RUN, "q2", "a", "b"), (RUN, "q3", "", "b")]
    found = _answers(spark, [_answered(5, "q1", "a", "b", 0), _answered(9, "q1", "b", "b", 1)], told)
    assert rows(found, "question", "attempt", "answer", "is_last", "is_right", "source") == [
        ("q1", 1, "a", False, False, "trace"),
        ("q1", 2, "b", True, True, "trace"),
        ("q2", 1, "a", True, False, "answers.json"),
    ]


EFFORT = [
    at(0, LAB, ev.RunStarted(config="{}", world="processes", title="A lesson"), seq=0),
    at(10_000, PLAYER, ev.LessonStep(step=1, text="topic orders"), seq=0),
    at(20_000, PLAYER, ev.ExpectationChecked(text="expect x", held=False, seen="y"), seq=1),
    at(10 * MINUTE, LAB, ev.FaultInjected(**fault_fields(1, "Kill", "1"), command="kill 1"), seq=1),
    by_script(at(10 * MINUTE, LAB, ev.FaultInjected(**fault_fields(2, "Kill", "2"), command="kill 2"), seq=4)),
    at(11 * MINUTE, LAB, ev.CommandRejected(command="kill 1", why="it is down"), seq=2),
    at(50 * MINUTE, 1, ev.ProcessReady(node_id=1, port=1), seq=3),
]


def test_a_long_pause_counts_as_two_minutes_and_what_nodes_do_is_no_sign_of_the_learner(spark: SparkSession) -> None:
    from workbench.analysis.tables.effort import effort

    runs = spark.createDataFrame(
        [(RUN, "A lesson", "processes", None)], "run string, title string, world string, started timestamp"
    )
    given = _answers(spark, [_answered(30_000, "q1", "a", "b", 2), _answered(30_001, "q2", "b", "b", 3)], [])
    found = effort(frame(spark, EFFORT), runs, given)
    numbers = ("span_ms", "active_ms", "longest_pause_ms", "steps", "checks_failed", "faults", "refused_commands")
    assert rows(found, *numbers) == [(11 * MINUTE, 20_000 + 3 * MINUTE, 10 * MINUTE - 20_000, 1, 1, 1, 1)]
    assert rows(found, "answers", "right_answers") == [(2, 1)]
    virtual = effort(frame(spark, EFFORT), runs.selectExpr("run", "title", "'simulated' world", "started"), given)
    assert rows(virtual, "span_ms", "active_ms", "faults") == [(None, None, 1)]


# Ada was wrong, then right; Bob was wrong twice alike; Cid was wrong once; Dot was right; Eve was wrong in two ways.
_GIVEN = [
    *(("r1", "q", "a", False, 1), ("r2", "q", "b", True, 1), ("r3", "q", "a", False, 1), ("r3", "q", "a", False, 2)),
    *(("r4", "q", "a", False, 1), ("r5", "q", "b", True, 1), ("r6", "q", "a", False, 1), ("r7", "q", "c", None, 1)),
]
_WHOSE = [("r1", "ada"), ("r2", "ada"), ("r3", "bob"), ("r4", "cid"), ("r5", "dot"), ("r6", "eve"), ("r7", "eve")]


def _class(spark: SparkSession) -> tuple[DataFrame, DataFrame, DataFrame]:
    runs = spark.createDataFrame([(run, "L") for run, _ in _WHOSE], "run string, title string")
    return spark.createDataFrame(_GIVEN, _ANSWERS), runs, spark.createDataFrame(_WHOSE, "run string, learner string")


def test_a_histogram_counts_the_first_answer_of_each_learner(spark: SparkSession) -> None:
    from workbench.analysis.tables.class_questions import class_questions

    found = class_questions(*_class(spark))
    names = ("title", "question", "answer", "learners", "share", "right_learners", "unclear_learners")
    assert rows(found, *names) == [("L", "q", "a", 4, 0.8, 0, 0), ("L", "q", "b", 1, 0.2, 1, 0)]


def test_a_misconception_is_followed_to_the_last_answer_of_the_same_learners(spark: SparkSession) -> None:
    from workbench.analysis.tables.class_questions import class_misconceptions

    found = class_misconceptions(*_class(spark))
    names = ("answer", "learners_before", "asked_again", "right_after", "same_after", "other_after")
    assert rows(found, *names) == [("a", 4, 3, 1, 1, 1)]


def test_a_learner_has_broken_what_they_asked_for_themselves(spark: SparkSession) -> None:
    from workbench.analysis.tables.class_learners import class_breakage

    faults = [
        *(("r1", "Kill", 1.0, "learner"), ("r2", "Kill", 1.0, "learner"), ("r3", "Pause", None, "learner")),
        *(("r1", "Cut", 1.0, "script"), ("r5", "Cut", 1.0, "script"), ("r5", "Kill", 1.0, "lecturer")),
        ("r6", "Stop", 1.0, ""),
    ]
    verdicts = [
        ("r1", "C1", "lost write", "EXPECTED", 3),
        ("r5", "C1", "lost write", "EXPECTED", 9),
        ("r4", "P1", "x", "VIOLATED", 2),
        ("r4", "P2", "y", "HOLDS", 0),
    ]
    found = class_breakage(
        spark.createDataFrame(faults, "run string, kind string, injected_ms double, commanded_by string"),
        spark.createDataFrame(
            verdicts, "run string, rule string, title string, verdict string, violation_count bigint"
        ),
        _class(spark)[2],
    )
    assert rows(found, "learner", "what", "name", "times", "runs") == [
        ("ada", "fault", "Kill", 2, 2),
        ("ada", "rule", "C1 lost write", 3, 1),
        ("cid", "rule violated", "P1 x", 2, 1),
        ("eve", "fault, unknown by whom", "Stop", 1, 1),
    ], "dot ran the script, and the lecturer killed a node"


def test_time_of_simulated_runs_is_not_added_up(spark: SparkSession) -> None:
    from workbench.analysis.tables.class_learners import class_effort

    schema = """run string, title string, world string, active_ms double, span_ms double, steps bigint, answers bigint,
    right_answers bigint, faults bigint"""
    spent = [("r1", "L", "processes", 5.0, 9.0, 1, 1, 0, 2), ("r2", "L", "simulated", None, None, 1, 1, 1, 1)]
    found = class_effort(spark.createDataFrame(spent, schema), _class(spark)[2])
    names = ("learner", "title", "runs", "simulated_runs", "active_ms", "span_ms", "answers", "right_answers", "faults")
    assert rows(found, *names) == [("ada", "L", 2, 1, 5.0, 9.0, 2, 1, 3)]


def test_each_record_is_counted_under_one_fate(spark: SparkSession) -> None:
    from workbench.analysis.tables.record_totals import record_totals

    fates = [
        ("visible", "acknowledged", 5, True),
        ("lost", "acknowledged", 2, False),
        ("in doubt", "unknown", None, True),
    ]
    fates += [
        ("in doubt", "no answer", None, False),
        ("duplicated", "acknowledged", 1, True),
        ("refused", "refused", None, False),
    ]
    made = [(RUN, "t", 0, *row) for row in fates]
    schema = "run string, topic string, partition bigint, fate string, outcome string, count bigint, is_in_log boolean"
    found = record_totals(spark.createDataFrame(made, schema))
    names = ("produced", "acknowledged", "visible", "lost", "duplicated", "refused", "in_doubt", "in_doubt_but_in_log")
    assert rows(found, *names) == [(11, 8, 5, 2, 1, 1, 2, 1)]
