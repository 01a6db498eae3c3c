"""Flows go on with the answers to what they asked, one of a queue after another."""

from __future__ import annotations

from typing import Any

from cluster.model.messages import OperationResult
from cluster.zookeeper.flows import Flow, Flows, get


class Asked:
    """A session that only notes what is asked."""

    def __init__(self) -> None:
        self.paths: list[str] = []

    def ask(self, operations: Any) -> int:
        self.paths.append(operations[0].path)
        return len(self.paths)


def _answer(flows: Flows, ticket: int, data: str) -> None:
    flows.on_answer(ticket, 0, (OperationResult(data=data),), is_repeated=False)


def test_a_flow_gets_all_answers_in_the_order_of_its_questions_and_the_next_waits() -> None:
    asked = Asked()
    seen: list[object] = []
    flows = Flows(asked)  # type: ignore[arg-type]

    def first() -> Flow:
        answers = yield [get("/a"), get("/b")]
        seen.append([answer.last.data for answer in answers])

    def second() -> Flow:
        seen.append("second")
        yield [get("/c")]

    flows.add("q", first)
    flows.add("q", second)
    assert asked.paths == ["/a", "/b"] and seen == []
    _answer(flows, 2, "b")
    _answer(flows, 1, "a")
    assert seen == [["a", "b"], "second"] and asked.paths == ["/a", "/b", "/c"]


def test_what_is_cleared_never_goes_on() -> None:
    asked, seen = Asked(), []
    flows = Flows(asked)  # type: ignore[arg-type]

    def flow() -> Flow:
        yield [get("/a")]
        seen.append("went on")

    flows.add("q", flow)
    flows.clear_all()
    _answer(flows, 1, "a")
    flows.add("q", flow)
    assert seen == [] and asked.paths == ["/a", "/a"]
