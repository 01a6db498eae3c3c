from __future__ import annotations

import csv
import io
from pathlib import Path

from workbench.challenges.quiz.questions import items
from workbench.challenges.quiz.results import answers_of, as_csv, class_answers, is_right, record, score

ITEM = items()[0]
WRONG = next(option for option in ITEM.question.options if option.misconception)


def test_difficulty_is_the_share_of_right_answers_in_a_class(tmp_path: Path) -> None:
    for name, option in (("ann", ITEM.right), ("ben", WRONG), ("cem", WRONG), ("dan", WRONG)):
        record("before", ITEM, option, tmp_path / name)
    record("after", ITEM, ITEM.right, tmp_path / "ben")
    row = next(csv.DictReader(io.StringIO(as_csv(items(), class_answers(tmp_path)))))
    assert (row["question"], row["answers_before"], row["right_before"], row["difficulty_before"]) == (
        "01", "4", "1", "0.25",
    )  # fmt: skip
    assert (row["usual_wrong_before"], row["difficulty_after"]) == (WRONG.misconception, "1.00")


def test_what_is_kept_says_what_was_chosen_and_right_is_computed_anew(tmp_path: Path) -> None:
    record("before", ITEM, WRONG, tmp_path)
    assert answers_of(tmp_path) == {"before": {"01": WRONG.misconception}, "after": {}}
    assert score(items(), answers_of(tmp_path)["before"]) == 0
    assert is_right(ITEM, "right") and not is_right(ITEM, "anything")
    (tmp_path / "quiz.json").write_text('{"before": 3, "after": {"01": 7}}', "utf-8")
    assert answers_of(tmp_path) == {"before": {}, "after": {}}
