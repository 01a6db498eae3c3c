from __future__ import annotations

from cluster.picture.cluster_state import ClusterState
from cluster.scenario.conditions import parse_state_condition
from cluster.scenario.event_pattern import EventBook
from workbench.course.content import Conditions, Document, Figure, Notes, Option, Question, Reveal, Step
from workbench.session.lesson.holds import Seen
from workbench.session.lesson.page import Piece
from workbench.session.lesson.telling import document_pieces, name_of, pieces, tell_step

SEEN = Seen(ClusterState(), {"open": 1}, EventBook())


def when(text: str) -> Conditions:
    return (parse_state_condition(text.split(), frozenset(("open",))),)


TRUE, FALSE = when("open = 1"), when("open = 2")


def step(*after: Reveal, options: tuple[Option, ...] = ()) -> Step:
    question = Question("who", "Who?", options) if options else None
    return Step("A step", (), question, None, after, Notes(1, (), ()))


def shown(*after: Reveal) -> list[str]:
    return [piece.text for piece in tell_step(step(*after), -1, str, SEEN).after]


def test_a_reveal_is_shown_always_or_when_its_condition_holds_or_else() -> None:
    plain, yes, no = Reveal("plain"), Reveal("yes", TRUE), Reveal("no", FALSE)
    other = Reveal("else", (), is_else=True)
    assert shown(plain, yes, no, other) == ["plain", "yes"]
    assert shown(plain, no, other) == ["plain", "else"]
    assert shown(other, yes) == ["else", "yes"], "in the order of the file: nothing held before it"


def test_the_reason_of_the_answer_comes_before_that_of_the_right_one() -> None:
    options = (Option("one", "", TRUE, "because"), Option("two", "a-belief", FALSE, "no"), Option("3", "b", FALSE, "?"))
    told = tell_step(step(options=options), 1, str.upper, SEEN)
    assert told.right == 0 and told.whys == [Piece("wrong", "NO"), Piece("right", "BECAUSE")]
    assert [piece.text for piece in tell_step(step(options=options), 0, str, SEEN).whys] == ["because"]
    both = (*options[:1], Option("also", "c", TRUE, "x"))
    assert tell_step(step(options=both), 0, str, SEEN).right == -1, "when two hold none is right"
    assert [name_of(options, place) for place in (-1, 0, 1)] == ["", "right", "a-belief"]


def test_a_document_is_quoted_before_it_is_judged_and_a_figure_is_kept() -> None:
    document = Document(("S2.12", "S2.1"), "wrong", '"smaller"', "Or equal.")
    assert [piece.text for piece in document_pieces(document, str)] == [
        "A document says (S2.12, S2.1):", '"smaller"', "*Wrong.* Or equal.",
    ]  # fmt: skip
    assert pieces(Figure(("a  b", "c")), str)[0].text == "a  b\nc"
