"""What counts over all lessons together."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.support.worlds.steps_lesson import steps_lesson
from tools.whole_course import long_sentences, met_once, never_met, not_in_glossary, still_to_come, untaught, used_early
from workbench.course.claims import Claim
from workbench.course.content import Lesson
from workbench.course.glossary import Term


def lesson(folder: Path) -> Lesson:
    return steps_lesson(folder)


def claims(**lessons: str) -> dict[str, Claim]:
    names = {name.replace("_", "."): number for name, number in lessons.items()}
    return {name: Claim(name, ("ok",), "So it is.", number) for name, number in names.items()}


def test_a_claim_is_missed_when_its_lesson_is_there_and_no_lesson_teaches_it(tmp_path: Path) -> None:
    there = claims(S2_22="01", S0_16="07", S1_1="01", S1_2="12")
    assert untaught([lesson(tmp_path)], there) == {"S1.1": "01_small"}
    assert still_to_come([lesson(tmp_path)], there) == {"S1.2": "12"}


def test_a_belief_that_is_met_once_is_found(tmp_path: Path) -> None:
    one = steps_lesson(
        tmp_path, ("- Nobody leads. !nobody\n  when: no leader tickets-0", "- Both. !dead-leads\n  when: idle")
    )
    assert met_once([one]) == {"nobody": "01_small/lesson.md:50"}
    assert met_once([one, replace(one, name="02_again")]) == {}
    assert never_met([one], ["nobody", "unheard"]) == ["unheard"]


def test_a_bold_term_is_looked_up_as_one_or_many(tmp_path: Path) -> None:
    one = steps_lesson(
        tmp_path,
        ("Silence counts", "**Brokers** and the\n**in-sync  replicas**, in short **ISR**, count"),
        ("There are", "A **wonder** has"),
    )
    glossary = [Term("broker", "", "It keeps.", ""), Term("in-sync replicas", "ISR", "They keep up.", "")]
    assert not_in_glossary([one], glossary) == ["01_small/lesson.md:29: **wonder**"]
    assert not_in_glossary([one], glossary[:1]) == [
        "01_small/lesson.md:29: **wonder**",
        "01_small/lesson.md:40: **in-sync replicas**",
        "01_small/lesson.md:40: **ISR**",
    ]


def test_a_long_sentence_is_found_and_a_value_is_one_word(tmp_path: Path) -> None:
    timer = "{broker_session_timeout_ms}"
    one = steps_lesson(
        tmp_path, ("A picture moves.", f"It waits {timer}, and then this picture moves on. Or: it stays.")
    )
    assert long_sentences([one], 9) == []
    assert long_sentences([one], 8) == ["01_small/lesson.md:15: 9 words: It waits N, and then this ..."]


def test_a_term_that_is_used_before_it_is_bold_is_found(tmp_path: Path) -> None:
    one = steps_lesson(
        tmp_path,
        ("A picture moves.", "A picture of brokers moves."),
        ("It was.", "It **led**, a **record**, **acked**."),
    )
    glossary = [Term(name, "", "It is.", "") for name in ("broker", "record", "led", "picture", "acked")]
    assert used_early([one], glossary) == [
        "01_small/lesson.md:15: broker, bold in 01_small:15",
        "01_small/lesson.md:15: record, bold in 01_small:69",
    ]
