"""What every lesson of the course keeps to, one by one and all together. Each is read once and played once."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from cluster.model.entry import Entry
from cluster.model.events import BrokerFenced, PartitionDecided
from cluster.scenario.script import ClusterPlan
from tests.support.worlds.switches import MIN_ISR, WORDS_OF, switch_words
from tools.whole_course import long_sentences, met_once, never_met, not_in_glossary, texts_of, untaught, used_early
from workbench.course.claims import claims_beside
from workbench.course.content import Lesson, Step, letters
from workbench.course.glossary import read_glossary
from workbench.course.library import LESSONS
from workbench.course.other_world import clusters_before, play_other_world
from workbench.course.reading.lesson_folder import read_folder
from workbench.course.reading.question import misconceptions_in
from workbench.course.trial import Trial
from workbench.runs.launch import simulated_launcher

SEED = 1
LETTER_SHARE_MAX, LEARNERS = 0.4, 200
UNTAUGHT: frozenset[str] = frozenset()
"""Claims whose lesson is there and does not teach them yet. A document block takes one out: it only shrinks."""
MET_ONCE_MOST = 51
"""Misconceptions that one option alone has: it only shrinks."""
SENTENCE_WORDS_MAX = 22
USED_EARLY = frozenset({"broker", "majority", "watch", "member", "Resigned", "ZooKeeper", "epoch"})
"""Terms that a text uses before they are bold: words of everyday, or told in passing. It only shrinks."""
SHORT = {"elr": WORDS_OF["elr"], "hw": WORDS_OF["truncation_mode"]}
NAMES = [path.parent.name for path in sorted(LESSONS.glob("*/lesson.md"))]


@cache
def lesson_of(name: str) -> Lesson:
    return read_folder(LESSONS / name)


def lessons() -> list[Lesson]:
    return [lesson_of(name) for name in NAMES]


def clusters_of(lesson: Lesson) -> list[tuple[ClusterPlan, list[Step]]]:
    """Each cluster of a lesson with the steps that are played on it."""
    found: list[tuple[ClusterPlan, list[Step]]] = []
    for step in lesson.steps:
        section = lesson.script.section(step.do.section) if step.do is not None else None
        if section is not None and section.plan is not None:
            found.append((section.plan, []))
        if found:
            found[-1][1].append(step)
    return found


def text_of(lesson: Lesson, steps: list[Step]) -> str:
    """What a learner reads there, in small letters, one blank between words."""
    own = [text for step, _, text in texts_of(lesson) if step in steps]
    return " ".join(" ".join([*own, *(step.heading for step in steps)]).lower().split())


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_is_true_of_its_run_and_calls_an_unclean_election_unclean(tmp_path: Path, name: str) -> None:
    lesson = lesson_of(name)
    unclean: set[str] = set()

    def heard(section: str, entry: Entry) -> None:
        if isinstance(entry.event, PartitionDecided) and entry.event.unclean:
            unclean.add(section)

    trial = Trial(lesson, simulated_launcher(tmp_path, SEED), lambda _step: None)
    trial.on_entry = heard
    asyncio.run(trial.run())
    silent = [
        step.heading
        for _, steps in clusters_of(lesson)
        for step in steps
        if step.do is not None and step.do.section in unclean and "unclean" not in text_of(lesson, steps)
    ]
    assert (trial.mistakes, silent) == ([], [])


@pytest.mark.first(name=[NAMES[2]])
@pytest.mark.parametrize("name", NAMES)
async def test_a_wrong_option_alone_is_right_in_its_world(tmp_path: Path, name: str) -> None:
    lesson = lesson_of(name)
    wrong: list[str] = []
    for step, option, world in lesson.worlds:
        launch = simulated_launcher(tmp_path, SEED + clusters_before(lesson, step))
        played = await play_other_world(lesson, step, option, world, launch)
        if played.held != (option,):
            wrong.append(f"{name}/lesson.md:{world.line}: {world.text}: {[one.text for one in played.held]}")
    assert wrong == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_names_every_switch_that_its_script_turns(name: str) -> None:
    """A switch that is not named by then teaches a wrong cause. Timers and min.insync.replicas may go without."""
    lesson = lesson_of(name)
    missing: dict[str, set[str]] = {}
    text = ""
    for plan, steps in clusters_of(lesson):
        text += text_of(lesson, steps)
        for short, word in SHORT.items():
            text = re.sub(rf"\b{short}\b", word, text)
        sections = [lesson.script.section(step.do.section) for step in steps if step.do is not None]
        words = switch_words(plan, [section for section in sections if section is not None])
        unnamed = {word for word in words if not word.startswith("{") and word != MIN_ISR and word not in text}
        if unnamed:
            missing[steps[0].heading] = unnamed
    assert missing == {}


def test_no_letter_is_right_in_more_than_two_of_five_questions() -> None:
    """Each learner has an order of his own: counted is what many of them see."""
    counts = Counter(
        letter
        for lesson in lessons()
        for _, question in lesson.questions
        for seed in range(LEARNERS)
        for letter, option in letters(question, seed).items()
        if not option.misconception
    )
    assert all(count <= LETTER_SHARE_MAX * counts.total() for count in counts.values()), counts


def test_every_claim_is_taught_once_its_lesson_is_there() -> None:
    """A claim of a lesson that is not there yet may wait: `still to come` on the page of the claims."""
    assert set(untaught(lessons(), claims_beside(LESSONS).by_name)) == UNTAUGHT


def test_every_bold_term_stands_in_the_glossary() -> None:
    assert not_in_glossary(lessons(), read_glossary(LESSONS)) == []


def test_a_term_is_explained_where_it_is_used_first() -> None:
    early = used_early(lessons(), read_glossary(LESSONS))
    assert {one.split(": ")[1].split(",")[0] for one in early} == USED_EARLY, early


def test_no_sentence_is_long() -> None:
    """Many read the lessons in their third language."""
    assert long_sentences(lessons(), SENTENCE_WORDS_MAX) == []


def test_a_term_and_a_misconception_have_one_line() -> None:
    words = Counter(name.lower() for term in read_glossary(LESSONS) for name in (term.name, term.short) if name)
    beliefs = Counter(re.findall(r"^- `([^`]+)`", (LESSONS / "misconceptions.md").read_text("utf-8"), re.MULTILINE))
    assert [word for word, count in (words + beliefs).items() if count > 1] == []


def test_every_misconception_of_the_list_is_met() -> None:
    assert never_met(lessons(), misconceptions_in(LESSONS)) == []


def test_no_lesson_looks_at_the_timeline_before_a_decision_is_committed() -> None:
    """What a controller has decided a moment ago stands nowhere on it: it shows what is committed."""
    early = [
        f"{lesson.name}/lesson.md:{hold.line}"
        for lesson in lessons()
        for step in lesson.steps
        if step.do is not None
        for hold in step.do.holds
        if hold.pane == "isr" and hold.event is not None and hold.event.kind in (BrokerFenced, PartitionDecided)
    ]
    assert early == []


def test_a_belief_has_the_same_name_wherever_it_is_met() -> None:
    """Whoever needs a name looks first whether the belief has one."""
    once = met_once(lessons())
    assert len(once) <= MET_ONCE_MOST, sorted(once)


def test_the_lessons_stand_in_the_order_in_which_they_follow_each_other() -> None:
    planned = (LESSONS / "course.txt").read_text("utf-8").split()
    for lesson, following in zip(planned, [*planned[1:], ""], strict=True):
        if lesson in NAMES:
            assert lesson_of(lesson).next == following
            assert [name for name in lesson_of(lesson).needs if planned.index(name) >= planned.index(lesson)] == []


@pytest.mark.parametrize("name", NAMES)
def test_a_lesson_ends_with_a_setting_that_was_not_seen(name: str) -> None:
    assert [question.is_transfer for _, question in lesson_of(name).questions].count(True) == 1
