"""The terms of the course."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.steps_lesson import steps_lesson
from workbench.course.glossary import Term, read_glossary, terms_of

GLOSSARY = """# Glossary

- **broker**: A server. (S2.1)
- **in-sync replicas** (ISR): They keep up. (S2.4, KIP-497)
- **log**: A list of (few) records.
Not a term.
"""


def test_a_line_is_a_term_with_its_short_form_and_its_source(tmp_path: Path) -> None:
    (tmp_path / "glossary.md").write_text(GLOSSARY)
    assert read_glossary(tmp_path) == (
        Term("broker", "", "A server.", "S2.1"),
        Term("in-sync replicas", "ISR", "They keep up.", "S2.4, KIP-497"),
        Term("log", "", "A list of (few) records.", ""),
    )
    assert read_glossary(tmp_path / "nowhere") == ()


def test_the_terms_of_a_step_begin_with_those_in_bold(tmp_path: Path) -> None:
    glossary = [Term("record", "", "It is.", ""), Term("broker", "", "It is.", ""), Term("fetch", "", "It is.", "")]
    step = steps_lesson(tmp_path).steps[0]
    assert [term.name for term in terms_of(step, glossary)] == ["broker", "record"]
