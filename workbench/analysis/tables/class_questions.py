"""What a class predicted: how many chose which answer, and what became of those who were wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from workbench.analysis.tables.common import shown

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

CLASS_QUESTIONS_COLUMNS = (*("title", "question", "answer", "learners", "share", "right_learners", "unclear_learners"),)
CLASS_MISCONCEPTIONS_COLUMNS = (
    *("title", "question", "answer", "learners_before", "asked_again", "right_after", "same_after", "other_after"),
)
_ENDS = """
WITH ends AS (
  SELECT learner, title, question, answer, is_right,
    row_number() OVER (PARTITION BY learner, title, question ORDER BY run, attempt) AS place,
    row_number() OVER (PARTITION BY learner, title, question ORDER BY run DESC, attempt DESC) AS place_from_end
  FROM answers JOIN learners USING (run) JOIN (SELECT run, title FROM runs) USING (run))"""
"""Each answer with its place among those of its learner to that question, from both ends; runs sort by age."""


def class_questions(answers: DataFrame, runs: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per question and answer: by how many learners it was the first they ever gave.

    share is of all who answered the question. right_learners were right in their own run; unclear_learners saw a run
    without a single right answer.
    """
    question = f"""{_ENDS}
SELECT *, learners / sum(learners) OVER (PARTITION BY title, question) AS share FROM (
  SELECT title, question, answer, count(*) AS learners, count_if(is_right) AS right_learners,
    count_if(is_right IS NULL) AS unclear_learners
  FROM ends WHERE place = 1 GROUP BY title, question, answer)"""
    return shown(CLASS_QUESTIONS_COLUMNS, question, answers=answers, runs=runs, learners=learners)


def class_misconceptions(answers: DataFrame, runs: DataFrame, learners: DataFrame) -> DataFrame:
    """One row per question and wrong answer that somebody gave first: the same learners when they were last asked.

    learners_before gave it first. Of these asked_again answered the question once more, in a later run or a second
    time: right_after, same_after and other_after say how they answered last. An answer that cannot be called right
    counts as another one.
    """
    question = f"""{_ENDS},
turned AS (
  SELECT first.title, first.question, first.answer, last.answer IS NOT NULL AS again,
    coalesce(last.is_right, false) AS is_right, last.answer = first.answer AS is_same
  FROM ends first LEFT JOIN ends last ON last.learner = first.learner AND last.title = first.title
    AND last.question = first.question AND last.place_from_end = 1 AND last.place > 1
  WHERE first.place = 1 AND NOT first.is_right)
SELECT title, question, answer, count(*) AS learners_before, count_if(again) AS asked_again,
  count_if(again AND is_right) AS right_after, count_if(again AND NOT is_right AND is_same) AS same_after,
  count_if(again AND NOT is_right AND NOT is_same) AS other_after
FROM turned GROUP BY title, question, answer"""
    return shown(CLASS_MISCONCEPTIONS_COLUMNS, question, answers=answers, runs=runs, learners=learners)
