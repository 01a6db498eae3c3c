"""What a writer may want to mend in the course, though nothing fails: `python -m tools.course_report`."""

from __future__ import annotations

import sys
from pathlib import Path

from tools.whole_course import met_once, still_to_come, used_early
from workbench.course.claims import claims_beside, taught
from workbench.course.glossary import read_glossary
from workbench.course.lesson_error import LessonError
from workbench.course.library import LESSONS, all_lessons


def main(folder: Path) -> None:
    """Print it, for the lessons of a folder."""
    lessons, claims = all_lessons(folder), claims_beside(folder).by_name
    questions = sum(1 for lesson in lessons for _ in lesson.questions)
    done, coming = taught(lessons), still_to_come(lessons, claims)
    lines = [f"{len(lessons)} lessons, {questions} questions, {len(done)} of {len(claims)} claims taught"]
    for number in sorted(set(coming.values())):
        lines.append(f"with lesson {number}: {', '.join(name for name, lesson in coming.items() if lesson == number)}")
    lines += [f"met once: {place}: !{name}" for name, place in met_once(lessons).items()]
    lines += [f"used before it is bold: {place}" for place in used_early(lessons, read_glossary(folder))]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]) if len(sys.argv) > 1 else LESSONS)
    except LessonError as error:
        sys.exit(str(error))
