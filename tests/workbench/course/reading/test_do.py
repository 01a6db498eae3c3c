"""What is done in a step."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.worlds.steps_lesson import SCRIPT, mistake, steps_lesson


@pytest.mark.parametrize(
    ("old", "new", "at", "told"),
    [
        ("do kill", "do kil", "```do", "no section 'kil' in scenario.txt; there are: begin, kill, back, other"),
        ("do kill", "do back", "```do", "do back is out of order; the next section of scenario.txt is [kill]"),
        ("do other", "do begin", "```do", "do begin is out of order; the next section of scenario.txt is [other]"),
        ("do kill", "do kill now", "```do", "now stands in a step without a question only"),
        ("do kill", "do kill soon", "```do", "do kill: 'soon'; allowed: now, by learner"),
        ("look: logs: Broker 1 leads with {log_end orders-0 on 1} records.\n", "", "hold at", "hold without a look"),
        ("hold at part.became_leader on 1 topic=orders\n", "", "look: logs", "look without a hold"),
        ("look: events: Two records.", "Two records.", "hold when", "hold without a look"),
        ("hold when", "halt when", "halt when", "not a line of a do block"),
        (
            "part.became_leader",
            "part.became_laeder",
            "hold at",
            "no event is called 'part.became_laeder'; did you mean",
        ),
        ("topic=orders\nlook", "topik=orders\nlook", "hold at", "hold at: "),
        ("on 1 topic", "on 9 topic", "hold at", "hold at: no node 9 in this cluster"),
        ("acked orders-0 = 2", "aked orders-0 = 2", "hold when", "hold when: unknown value"),
        ("look: logs", "look: log", "look: log", "no pane 'log'; did you mean logs? allowed: lesson, map"),
        ("look: logs:", "look: logs", "look: logs", "the form is: look: PANE: what to see there"),
        ("{log_end orders-0 on 1}", "{log_end orders-0}", "look: logs", "the form is: log_end LOG on N"),
        ("task: Start it.\n", "", "done when", "a learner's step begins with 'task: what to do'"),
        ("done when: isr orders-0 = 1,2\n", "", "hint 5s", "below the task stands: done when: CONDITION"),
        ("isr orders-0 = 1,2\nhint", "isr = 1,2\nhint", "done when", "done when: "),
        ("hint 30s", "hint 5s", "hint 5s: Press", "hint 5s does not come after 5s"),
        ("hint 30s", "hint soon", "hint soon", "the form is: hint 30s: text"),
    ],
)
def test_a_do_that_makes_no_sense_is_told(tmp_path: Path, old: str, new: str, at: str, told: str) -> None:
    line, said = mistake(tmp_path, (old, new))
    assert at in line
    assert told in said


def test_holds_and_tasks_are_read(tmp_path: Path) -> None:
    steps = steps_lesson(tmp_path).steps
    first, third = steps[0].do, steps[2].do
    assert first is not None
    assert first.at_once
    assert [(hold.event is not None, len(hold.condition), hold.pane) for hold in first.holds] == [
        (True, 0, "logs"),
        (False, 2, "events"),
    ]
    assert third is not None
    assert third.task is not None
    assert [hint.after_s for hint in third.task.hints] == [5, 30]


def test_a_section_that_no_step_plays_is_told(tmp_path: Path) -> None:
    line, said = mistake(tmp_path, script=SCRIPT + "\n[more]\nkill 2\n")
    assert line == "[more]"
    assert said == "section [more] has no step; one must say: do more"


def test_what_follows_a_learner_begins_a_new_cluster(tmp_path: Path) -> None:
    same, _, _ = SCRIPT.partition("[other]")
    line, said = mistake(tmp_path, script=same + "[other]\ntopic tickets replicas=2 min-isr=1 assign=1,2\n")
    assert line == "[other]"
    assert "begins with a cluster line" in said
