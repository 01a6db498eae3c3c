"""The palette finds by a few letters, and knows the key of what it finds."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cluster.cluster_spec import ClusterSpec
from cluster.runtime.run.folder import create_run
from tests.support.screens.bare_host import Bench
from workbench.session.lesson.page import FREE_LAB
from workbench.session.missions.board import Board
from workbench.tui.finder import every_choice, find, glossary, how_far
from workbench.tui.input.keyboard import Keyboard
from workbench.tui.modes import Choice, Palette


def lines(bench: Bench, query: str) -> list[str]:
    return [choice.line for choice in find(bench.ui, query)[0]]


def test_a_command_is_made_for_the_selected_node_and_shows_the_key_that_does_the_same(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.node = 2
    best = find(bench.ui, "kill")[0][0]
    assert (best.line, best.key, best.name, best.arguments) == ("kill 2", "k", "send", ("kill 2",))
    bench.ui.node = 0
    best = find(bench.ui, "kill")[0][0]
    assert (best.line, best.name, best.arguments) == ("kill N", "type", ("kill ",))


def test_an_example_in_the_grammar_is_never_sent_as_it_stands(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.ui.node = 2
    sent = {choice.line for choice in every_choice(bench.ui) if choice.name == "send"}
    assert {"kill 2", "fsync lie 2", "freeze", "undo", "heal", "status"} <= sent
    assert not any(set(line) & set("|>[=%") or "1,2" in line or "1-2" in line for line in sent)


@pytest.mark.parametrize(
    ("query", "group", "line"),
    [
        ("n3", "Go to", "n3"),
        ("presenter", "Do", "present"),
        ("lsn 4", "Learn", "lesson 04"),
        ("light", "Settings", "theme light"),
        ("verdi", "Do", "verdicts"),
        ("timeline", "Go to", "pane "),
        ("10 % along", "Keys", "scrub.back10"),
    ],
)
def test_everything_is_found_by_a_part_of_its_name(tmp_path: Path, query: str, group: str, line: str) -> None:
    found = find(Bench(tmp_path).ui, query)[0]
    assert any(choice.group == group and choice.line.startswith(line) for choice in found)


def test_events_are_found_by_what_they_say_and_gone_to(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    event = next(choice for choice in find(bench.ui, "vote")[0] if choice.name == "seek")
    bench.commands.run(event.name, *event.arguments)
    assert f"event {bench.ui.recording.cursor}: " in bench.said and "vote" in bench.said


def test_the_nearer_comes_first_and_far_letters_find_nothing() -> None:
    kill, status = Choice("Do", "", "kill 2", "", ""), Choice("Do", "", "status", "", "")
    assert how_far(["kill"], kill) == 0 and how_far(["kl"], kill) is not None
    assert how_far(["kl"], status) is None and how_far(["kill", "zz"], kill) is None
    far = [how_far([word], status) for word in ("sta", "tus", "sts")]
    assert far == sorted(far, key=lambda distance: 99 if distance is None else distance) and None not in far


def test_a_replay_offers_no_command_and_the_keys_are_those_of_the_user(tmp_path: Path) -> None:
    bench = Bench(tmp_path, live=False)
    assert "kill N" not in lines(bench, "kill")
    bench = Bench(tmp_path)
    bench.ui.keyboard = Keyboard({"node.kill": ("f5",)})
    bench.ui.node = 1
    assert find(bench.ui, "kill 1")[0][0].key == "f5"


def test_every_choice_runs_a_command_that_exists(tmp_path: Path) -> None:
    for live in (True, False):
        bench = Bench(tmp_path, live=live)
        assert {choice.name for choice in every_choice(bench.ui)} <= set(bench.commands.by_name)


def test_a_term_of_the_course_is_found_by_its_name_and_short_form_and_told(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    term = next(term for term in glossary() if term.short)
    for typed in (term.name, term.short):
        chosen = next(choice for choice in find(bench.ui, typed)[0] if choice.name == "term")
        assert term.name in chosen.line and chosen.group == "Learn"
    bench.commands.run("term", term.name)
    assert bench.said.startswith(f"{term.name}: ")


def test_a_recorded_run_is_found_by_its_title_and_compared(tmp_path: Path) -> None:
    folder, lock = create_run(tmp_path, ClusterSpec(title="the night of the cut", controllers=3, brokers=3))
    os.close(lock)
    bench = Bench(tmp_path / "runs" / "20260101-000000-000aa")
    bench.commands.view.look_up("night of")
    assert isinstance(bench.ui.mode, Palette)
    (chosen,) = [choice for choice in bench.ui.mode.found if choice.name == "compare" and choice.arguments]
    assert chosen.arguments == (folder.name,) and "the night of the cut" in chosen.text


def test_a_node_is_offered_by_its_role_not_by_what_it_is_to_the_quorum(tmp_path: Path) -> None:
    """A broker was offered as "up observer"."""
    bench = Bench(tmp_path)
    said = [choice.text for choice in every_choice(bench.ui) if choice.text.startswith("select node")]
    assert said and not any("observer" in title for title in said)
    assert any(title.endswith("broker, up") for title in said), said


def test_missions_are_called_missions_where_they_stand(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    assert "pane 1 Lesson" in lines(bench, "pane 1")
    bench.ui.missions, bench.ui.page = Board(tmp_path), FREE_LAB
    assert "pane 1 Missions" in lines(bench, "pane 1") and "pane 1 Lesson" not in lines(bench, "pane 1")
