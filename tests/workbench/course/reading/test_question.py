"""Questions and their options."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import mistake, steps_lesson
from workbench.course.content import Replace, Set


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("predict who", "predict", "```predict", "predict needs a name of a-z 0-9 -"),
        ("predict who", "predict Who?", "```predict", "predict needs a name of a-z 0-9 -"),
        ("transfer other", "transfer who", "```transfer", "two questions are called 'who'"),
        ("Who leads?\n", "", "```predict", "the question is missing"),
        (
            "- Nobody leads. !nobody\n  when: no leader orders-0\n  why: One more is alive.\n"
            "  would: topic replicas=1 min-isr=1 assign=1\n",
            "",
            "```predict",
            "predict has 2 options; three or four are allowed",
        ),
        (
            "- Nobody leads. !nobody\n  when: no leader orders-0",
            "- Broker 7 leads. !nobody\n  when: leader orders-0 = 7\n  why: In no run.\n"
            "- Broker 8 leads. !nobody\n  when: leader orders-0 = 8\n  why: In no run.\n"
            "- Nobody leads. !nobody\n  when: no leader orders-0",
            "```predict",
            "predict has 5 options; three or four are allowed",
        ),
        (" !dead-leads", "", "- Broker 2 leads.", "2 options have no !misconception"),
        ("- Broker 2 leads.", "- Broker 2 leads. !nobody", "```predict", "0 options have no !misconception"),
        (
            "!dead-leads",
            "!dead-laeds",
            "- Broker 1",
            "!dead-laeds is not in misconceptions.md; did you mean dead-leads?",
        ),
        ("!dead-leads", "!new-name", "- Broker 1", "!new-name is not in misconceptions.md; add there: - `new-name`"),
        ("  when: leader orders-0 = 1\n", "", "- Broker 1", "when is missing"),
        ("  why: One more is alive.\n", "", "- Nobody", "why is missing"),
        ("  why: One more", "  when: idle\n  why: One more", "when: idle", "when is there twice"),
        ("  why: One more", "  because: One more", "because", "not a line of an option"),
        ("  why: One more is alive.", "  why:", "why:", "why: says nothing"),
        ("  why: One more", "why: One more", "why: One", "a line begins with"),
        (
            "when: leader orders-0 = 1",
            "when: leader oders-0 = 1",
            "when: leader oders",
            "when: topic 'oders' is not created before this line; known: orders",
        ),
        (
            "when: leader orders-0 = 1",
            "when: leader orders-0 and idel",
            "idel",
            "when: unknown condition 'idel'; allowed:",
        ),
        (
            "when: leader orders-0 = 1",
            "when: log_end orders-0 on 7 = 1",
            "on 7",
            "when: no node 7 in this cluster; allowed: brokers 1 to 2",
        ),
        (
            "when: no leader orders-0\n",
            "when: leader orders-0 =  2\n",
            "when: leader orders-0 =  2",
            "the same condition as in line",
        ),
        (
            "  why: Broker 2 was in the ISR.",
            "  why: Yes.\n  would: without kill 1",
            "would: without",
            "this option is meant to be right",
        ),
        (
            "Who leads?",
            "Who leads after {broker_session_timeout_ms}?",
            "Who leads",
            "a question is the same in every run",
        ),
        ("- Broker 2 leads.", "- Broker {leader orders-0} leads.", "- Broker {", "an option has {...}"),
        ("- Broker 2 leads.", "- Not answer b.", "- Not answer", "an option names an option by its place: 'answer b'"),
        ("- Broker 2 leads.", "- None of the above.", "- None", "of the above"),
        ("why: Broker 2 was", "why: Option a, and 2 was", "why: Option", "why names an option by its place"),
        ("{leader orders-0}", "{leader}", "why: It did", "is no timer of cluster/model/settings.py"),
        ("  would: without kill 1\n", "", "- Broker 1", "a wrong option without would; add one, or say 'in no run'"),
        (
            "without kill 1",
            "without kil 1",
            "would",
            "would: no command 'kil 1' in these sections; the nearest is 'kill 1'",
        ),
        (
            "without kill 1",
            "cluster elrr=on",
            "would",
            "would: the changed script cannot be played: cluster: unknown key",
        ),
        ("without kill 1", "cluster elr", "would", "cluster: not key=value: 'elr'"),
        ("without kill 1", "kill 1 -> kil 2", "would", "the changed script cannot be played: unknown verb"),
        ("without kill 1", "perhaps", "would", "'perhaps' is no change; allowed: cluster KEY=VALUE"),
    ],
)
def test_a_question_that_makes_no_sense_is_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said


def test_a_question_is_read_with_its_options_and_their_worlds(tmp_path: Path) -> None:
    question = steps_lesson(tmp_path).steps[1].question
    assert question is not None
    assert [option.misconception for option in question.options] == ["dead-leads", "", "nobody"]
    assert question.options[0].would[0].changes == (Replace("kill 1", ()),)
    assert question.options[2].would[0].changes == (Set("topic", ("replicas=1", "min-isr=1", "assign=1")),)
    assert not question.is_transfer


def test_a_fetch_that_is_answered_names_no_option(tmp_path: Path) -> None:
    steps_lesson(tmp_path, ("- Broker 2 leads.", "- Broker 2 leads, and its answer a moment later says so."))
