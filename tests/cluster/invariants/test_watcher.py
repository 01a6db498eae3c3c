"""Which method is told of which event, and in which order."""

from __future__ import annotations

from cluster.invariants.watcher import Watcher, after, before, dispatch, fold
from cluster.model import events as ev
from cluster.model.entry import Entry


class Noted(Watcher):
    """Notes who was called."""

    def __init__(self, name: str, calls: list[str]) -> None:
        self.name, self.calls = name, calls

    @after
    def _read(self, _entry: Entry, _event: ev.TopicDeleted) -> None:
        self.calls.append(f"{self.name} after")

    @fold
    def _take(self, _entry: Entry, _event: ev.TopicDeleted) -> None:
        self.calls.append(f"{self.name} fold")

    @before
    def _look(self, _entry: Entry, _event: ev.TopicDeleted | ev.RunEnded) -> None:
        self.calls.append(f"{self.name} before")

    def unmarked(self, _entry: Entry, _event: ev.TopicDeleted) -> None:
        raise AssertionError


class Deeper(Noted):
    """Has the marked methods of its base class, and one of its own in place of one."""

    @after
    def _read(self, _entry: Entry, _event: ev.TopicDeleted) -> None:
        self.calls.append(f"{self.name} after, deeper")

    @after
    def _read_on(self, _entry: Entry, _event: ev.TopicDeleted | ev.RunEnded | None) -> None:
        self.calls.append(f"{self.name} once more")


def calls_of(kind: type, *names: str, watcher: type[Noted] = Noted) -> list[str]:
    calls: list[str] = []
    for handler in dispatch(watcher(name, calls) for name in names).get(kind, ()):
        handler(None, None)  # type: ignore[arg-type]
    return calls


def test_all_look_before_anybody_takes_the_event_in_and_all_read_after_that() -> None:
    due = ["a before", "b before", "a fold", "b fold", "a after", "b after"]
    assert calls_of(ev.TopicDeleted, "a", "b") == due


def test_a_method_is_told_of_each_class_of_a_union_and_of_no_other() -> None:
    assert calls_of(ev.RunEnded, "a") == ["a before"]
    assert calls_of(ev.RunStarted, "a") == []


def test_methods_of_a_base_class_count_unless_another_stands_in_their_place() -> None:
    assert calls_of(ev.RunEnded, "a", watcher=Deeper) == ["a before", "a once more"]


def test_two_methods_of_one_class_of_event_are_told_in_the_order_in_which_they_stand() -> None:
    due = ["a before", "a fold", "a after, deeper", "a once more"]
    assert calls_of(ev.TopicDeleted, "a", watcher=Deeper) == due
