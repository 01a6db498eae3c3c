"""A lesson of three short steps on a quorum alone, which a lab of paper can play."""

from __future__ import annotations

from pathlib import Path

from workbench.course.content import Lesson, letters
from workbench.course.reading.lesson_folder import read_folder

LESSON = """+++
schema = 2
title = "{title}"
goal = "Say who leads."
minutes = 5
needs = []
sources = ["S0", "S2"]
next = ""
challenge = 0
+++

## Three voters

{prose}

```do begin
```

```notes
time: 1
- Wait for the class.
```

## The leader dies

It is killed.

```predict who
Who leads afterwards?
- The one that was killed. !dead-leads
  when: leader of quorum = first
  why: In no run: it does not answer.
- Another one.
  when: leader of quorum != first and leader of quorum > 0
  why: Two of three are enough.
- Nobody. !nobody
  when: no leader of quorum
  why: In no run of three: two can elect.
```

```do kill
```

```reveal
A dead node hears no vote request.
```

```notes
time: 3
expect: "Nobody". Ask how many are left.
- Point at the votes.
```

## What now?

Nothing to do here.

```notes
time: 1
```

## Last page

```keep
1. Two of three elect.
2. The dead do not vote.
3. An epoch has one leader.
```
"""
SCRIPT = """[begin]
cluster controllers=3 brokers=1 timing=classroom
wait leader of quorum within 20s
remember first = leader of quorum

[kill]
kill $first
{expectation}
"""
OTHER_LEADS = "expect leader of quorum != first within 20s\nexpect leader of quorum > 0 within 20s"
MISCONCEPTIONS = """- `dead-leads`: The dead lead on.
- `nobody`: Nobody leads after a death.
"""
GLOSSARY = "- **voter**: A controller that may vote. (S0.10)\n- **high watermark** (HW): All below it is safe.\n"
NAME = "01_small"


def write_lesson(
    folder: Path, *, title: str = "A small lesson", prose: str = "They vote.", expectation: str = OTHER_LEADS
) -> Lesson:
    home = folder / NAME
    home.mkdir(parents=True, exist_ok=True)
    (folder / "misconceptions.md").write_text(MISCONCEPTIONS)
    (folder / "glossary.md").write_text(GLOSSARY)
    (home / "lesson.md").write_text(LESSON.format(title=title, prose=prose))
    (home / "scenario.txt").write_text(SCRIPT.format(expectation=expectation))
    return read_folder(home)


def letter_of(lesson: Lesson, belief: str = "", seed: int = 0) -> str:
    """Of the answer with this misconception to the lesson's question, empty for the right one."""
    (question,) = (asked for _, asked in lesson.questions)
    return next(letter for letter, option in letters(question, seed).items() if option.misconception == belief)
