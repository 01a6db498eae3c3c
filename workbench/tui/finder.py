"""What can be found by its name: commands, keys, nodes, events, lessons, terms, runs, settings.

It is the list of the palette.
A new kind of thing to find is one more generator in `every_choice`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path

from cluster.faults.grammar import known_commands
from cluster.runtime.run.folder import RunError, read_facts, run_names
from workbench.course.glossary import Term, read_glossary
from workbench.course.library import LESSONS
from workbench.session.event_list import FILTERS
from workbench.session.views.cluster import process_word
from workbench.support.safe_text import safe_text
from workbench.telling.tell import describe, who
from workbench.telling.words import node_name
from workbench.tui.input.keyboard import call_of
from workbench.tui.input.keys import keys_of
from workbench.tui.input.words import words_of
from workbench.tui.modes import Choice
from workbench.tui.panes.reading import reading
from workbench.tui.theme.themes import THEMES
from workbench.tui.ui_state import UiState

GROUPS = ("Do", "Go to", "Learn", "Settings", "Keys")
PER_GROUP = 7
"""Choices of one group that are listed; whoever wants others types more."""
EVENTS_SEARCHED = 3000
"""Newest events that are looked through: some 20 ms."""
EVENT_QUERY_LEAST = 2
NEAR = 2
"""Letters left out between those typed, for each letter typed, that still count as near."""
WORD_START = 2
"""Distance of a word that is typed as the beginning of another one."""
RUNS_MAX = 50
"""Recorded runs, the newest, that can be found."""
PLAIN = re.compile(r"[a-z][a-z-]*")


def find(ui: UiState, query: str, home: Path | None = None) -> tuple[tuple[Choice, ...], int]:
    """(what fits best of each group, how many choices there are); all groups begin for an empty query.

    home: where the recorded runs lie that may be named; None for none.
    """
    words, choices = query.lower().split(), [*every_choice(ui), *_runs(home)]
    fitting = [(how_far(words, choice), place, choice) for place, choice in enumerate(choices)]
    near = sorted((far, place, choice) for far, place, choice in fitting if far is not None)
    groups = {group: [choice for _, _, choice in near if choice.group == group][:PER_GROUP] for group in GROUPS}
    if len(query) >= EVENT_QUERY_LEAST:
        groups["Go to"] += _events(ui, words)
    order = dict.fromkeys((*(choice.group for _, _, choice in near), *GROUPS)) if words else GROUPS
    return tuple(choice for group in order for choice in groups[group]), len(choices)


def how_far(words: list[str], choice: Choice) -> int | None:
    """How far a choice is from what was typed, 0 for no distance; None when it does not fit at all."""
    total = 0
    for word in words:
        distances = [_distance(word, choice.line.lower(), is_fuzzy=True), _distance(word, choice.text.lower())]
        fitting = [far + place for place, far in enumerate(distances) if far is not None]
        if not fitting:
            return None
        total += min(fitting)
    return total


def _distance(word: str, text: str, *, is_fuzzy: bool = False) -> int | None:
    at = text.find(word)
    if at >= 0:
        return 0 if at == 0 else WORD_START if not text[at - 1].isalnum() else 4
    gaps, last = 0, -1
    for letter in word if is_fuzzy else "":
        place = text.find(letter, last + 1)
        if place < 0:
            return None
        gaps += place - last - 1 if last >= 0 else 0
        last = place
    return 6 + gaps if is_fuzzy and gaps <= NEAR * len(word) else None


def every_choice(ui: UiState) -> Iterator[Choice]:
    """All of them but the events, which are too many."""
    signs = {call_of(action): ui.keyboard.sign(name) for row in ui.keyboard.table for _, action, name in row.keys}
    named = set()
    for choice in (*_commands(ui), *_words(ui)):
        call = (choice.name, choice.arguments)
        node_call = ("node", (choice.line.partition(" ")[0],))
        key_call = next((each for each in (call, node_call) if each in signs), None)
        named.add(key_call)
        yield choice._replace(key=signs[key_call]) if key_call is not None else choice
    yield from _places(ui)
    yield from _lessons()
    yield from _terms()
    yield from _settings()
    for row in keys_of(ui.kind, simulated=ui.seed is not None, table=ui.keyboard.table):
        calls = {} if len(row.keys) > 2 else {call_of(action): name for _, action, name in row.keys}
        for call, name in calls.items():
            if call not in named:
                yield Choice("Keys", row.long, name, ui.keyboard.sign(name), *call)


def _commands(ui: UiState) -> Iterator[Choice]:
    """Commands of the cluster, for the selected node; one that needs more is put into the command bar."""
    for item in known_commands() if not ui.replay else ():
        forms = item.usage.split(", ")
        for form in forms if all(each.startswith(item.verb) for each in forms) else [item.usage]:
            line, is_whole = _filled(form, ui.node)
            call = ("send", (line,)) if is_whole else ("type", (f"{line} ",))
            yield Choice("Do", item.help, line if is_whole else form, "", *call)


def _filled(form: str, node: int) -> tuple[str, bool]:
    """(the form as far as it is plain, with the selected node; whether nothing is left to be typed)."""
    line: list[str] = []
    for token in form.split():
        if token.startswith("["):
            break
        if not (token == "N" and node) and not PLAIN.fullmatch(token):
            return " ".join(line), False
        line.append(str(node) if token == "N" else token)
    return " ".join(line), True


def _words(ui: UiState) -> Iterator[Choice]:
    for word in words_of(simulated=ui.seed is not None, kind=ui.kind):
        if word.takes:
            yield Choice("Do", word.help, word.usage, "", "type", (f"{word.name} ",))
        else:
            yield Choice("Do", word.help, word.name, "", word.action, word.arguments)


def _places(ui: UiState) -> Iterator[Choice]:
    panes = reading(zookeeper=ui.view.zookeeper.is_used, missions=ui.shows_missions)
    for node_id, node in sorted(ui.view.nodes.items()):
        if 0 < node_id < 1001:
            state, name = f"{safe_text(' and '.join(node.roles), 40)}, {process_word(node)}", node_name(node_id)
            yield Choice("Go to", f"select node {name}: {state}", name, "", "select_node", (node_id,))
    for name, (title, text) in panes.items():
        yield Choice("Go to", ui.keyboard.said(text), f"pane {title}", "", "show_pane", (name,))


def _lessons() -> Iterator[Choice]:
    word = next(word for word in words_of(simulated=False) if word.name == "lesson")
    for name in word.takes:
        number, _, title = name.partition("_")
        line = f"lesson {name}"
        yield Choice("Learn", f"Lesson {number}: {title.replace('_', ' ')}", line, "", "type", (line,))


def _terms() -> Iterator[Choice]:
    for term in glossary():
        name = f"{term.name} ({term.short})" if term.short else term.name
        yield Choice("Learn", safe_text(term.sentence, 300), safe_text(name, 80), "", "term", (term.name,))


@cache
def glossary() -> tuple[Term, ...]:
    """The terms of the course."""
    return read_glossary(LESSONS)


def _runs(home: Path | None) -> Iterator[Choice]:
    """The newest recorded runs: each can be compared with the one on screen."""
    if home is None:
        return
    for name in reversed(run_names(home)[-RUNS_MAX:]):
        title = safe_text(_title_of(home / "runs" / name), 80)
        yield Choice("Go to", f"compare with run {safe_text(name, 80)}: {title}", name, "", "compare", (name,))


@lru_cache(maxsize=4 * RUNS_MAX)
def _title_of(folder: Path) -> str:
    try:
        return read_facts(folder).title
    except RunError:
        return "cannot be read"


def _settings() -> Iterator[Choice]:
    for name, theme in THEMES.items():
        yield Choice("Settings", f"Colours: {theme.says}", f"theme {name}", "", "theme", (name,))
    for name in FILTERS:
        yield Choice("Settings", "Which events are listed", f"events: {name}", "", "filter_by", (name,))


def _events(ui: UiState, words: list[str]) -> list[Choice]:
    """The newest events that say all of it."""
    entries, choices = ui.recording.entries, list[Choice]()
    for index in range(len(entries) - 1, max(-1, len(entries) - 1 - EVENTS_SEARCHED), -1):
        sentence = f"{who(entries[index])} {describe(entries[index])}"
        distances = [_distance(word, sentence.lower()) for word in words]
        if all(far is not None and far <= WORD_START for far in distances):
            seconds = f"{ui.recording.seconds(entries[index].t_ns):.3f} s"
            choices.append(Choice("Go to", sentence, seconds, "", "seek", (f"event {index + 1}",)))
            if len(choices) == PER_GROUP:
                break
    return choices
