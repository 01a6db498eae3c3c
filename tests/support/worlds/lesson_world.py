"""A lesson folder, and its player on labs of paper."""

from __future__ import annotations

from pathlib import Path

from tests.support.worlds.paper_lab import Labs
from workbench.course.lesson import Lesson, read_lesson
from workbench.session.lesson.player import LessonPlayer

LESSON = """+++
schema = 1
title = "{title}"
minutes = 5
needs = []
sources = ["KIP-595", "An article"]
+++

## Three voters
{prose}

```do
begin
```

## The leader dies
It is killed.

```predict who
Who leads afterwards?
a. The one that was killed :: leader of quorum = first
b. Another one :: leader of quorum != first
```

```do
kill
```

```reveal
A dead node hears no vote request.
```

```notes
Wait for the class.
```

## What now?
Nothing to do here.
"""
SCRIPT = """[begin]
cluster controllers=3 brokers=1 timing=classroom
wait leader of quorum within 20s
remember first = leader of quorum

[kill]
kill $first
{expectation}
"""
OTHER_LEADS = "expect leader of quorum != first within 20s"


def write_lesson(
    folder: Path, *, title: str = "A small lesson", prose: str = "They vote.", expectation: str = OTHER_LEADS
) -> Lesson:
    folder = folder / "01_small"
    folder.mkdir(parents=True)
    (folder / "lesson.md").write_text(LESSON.format(title=title, prose=prose))
    (folder / "scenario.txt").write_text(SCRIPT.format(expectation=expectation))
    return read_lesson(folder)


def player_of(tmp_path: Path, lesson: Lesson) -> tuple[LessonPlayer, Labs]:
    labs = Labs(tmp_path / "runs")
    return LessonPlayer(lesson, labs, lambda _lab: None, progress_folder=tmp_path / "state"), labs
