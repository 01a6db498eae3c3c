"""Makes the recordings of the quiz anew, after one of its lessons has changed: python -m tools.quiz_recordings."""

from __future__ import annotations

import sys

from workbench.challenges.quiz.questions import items, write_recordings

if __name__ == "__main__":
    write_recordings()
    for item in items():
        sys.stdout.write(f"{item.lesson.name}: {item.right.text}\n")
