"""What a lesson shows now: the page of the step on screen, or its last page."""

from __future__ import annotations

from collections.abc import Mapping

from cluster.scenario.script import At, Do, Remember, When
from workbench.course.content import Block, Figure
from workbench.session.lesson.keeping import Kept, KeptStep, Score, score_of
from workbench.session.lesson.markdown import flowed, plain_prose
from workbench.session.lesson.otherwise import world_of
from workbench.session.lesson.page import LessonPage, Piece
from workbench.session.lesson.player import LessonPlayer
from workbench.session.lesson.step_progress import DONE, FAILED, OPEN, RUNNING, SKIPPED, StepProgress
from workbench.session.lesson.telling import document_pieces, pieces
from workbench.support.safe_text import safe_text

COMMANDS_MOST = 4
"""Of a step that has run more commands are folded into their number."""
AHEAD = {False: "Not played yet.", True: "Not played yet: a new cluster begins with this step."}
"""What stands below the case of a step that has not run; by whether it begins a cluster."""
WORLD_NOTES = {
    False: "Real here: a process for each node, sockets, files, signals. Made by the workbench: cut and slow links, "
    "what a disk does wrong, and the loss of power.",
    True: "Simulated here: processes, sockets, files, signals and time. The code of the protocol is the one that real "
    "processes run. Between two steps the time of the cluster stands still and waits for you.",
}
"""What is real in this world, at the end of a lesson's first step; by whether it is simulated."""


def page_of(player: LessonPlayer, beliefs: Mapping[str, str] | None = None) -> LessonPage:
    """Everything in it made safe. beliefs: the sentence of each misconception."""
    if player.is_last_page:
        return _last_page(player, beliefs or {})
    step, own, section = player.step, player.own, player.section(player.step)
    awaits_cluster = section is not None and section.plan is not None and own.state in (OPEN, RUNNING) and not own.run
    done, question = own.state == DONE, step.question
    step_told = own.told if done else None
    held = own.held
    before = [piece for block in step.before for piece in pieces(block, player.tell)]
    if step.do is not None and own.state == OPEN and player.at:
        before.append(Piece("dim", AHEAD[awaits_cluster]))
    is_read = step_told is not None and (held is None or not held.pane)
    after = list(step_told.after) if step_told is not None and is_read else []
    if step_told is not None and is_read and player.at == 0:
        after.append(Piece("dim", WORLD_NOTES[player.pace is not None]))
    if step.do is None:
        after = [piece for block in step.after for piece in pieces(block, player.tell)]
    right = player.letter_of(step_told.right) if step_told is not None and is_read else ""
    return LessonPage(
        title=safe_text(player.lesson.title, 120),
        step=player.at + 1,
        steps=len(player.steps),
        heading=safe_text(step.heading, 200),
        before=tuple(before),
        button=_button(player, own),
        question=plain_prose(question.text) if question is not None else "",
        choices=tuple(plain_prose(option.text) for option in player.options.values()),
        answered=player.letter_of(own.answer),
        asks=own.state == OPEN,
        right=right,
        verdict=_verdict(player.letter_of(own.answer), right) if is_read and question is not None else "",
        whys=(*step_told.whys, *_other_world(player)) if step_told is not None and is_read else (),
        task=_task(player, own),
        look=flowed(held.look) if held is not None else "",
        look_at=held.pane if held is not None else "",
        held=f"{held.number} of {held.out_of}" if held is not None and held.pane else "",
        after=tuple(after),
        script=_lines(player, own),
        status=_status(player, own),
        has_failed=own.state == FAILED,
        awaits_cluster=awaits_cluster,
        figure_width=_widest((*step.before, *(step.after if is_read else ()))),
    )


def _widest(blocks: tuple[Block, ...]) -> int:
    return max((len(line) for block in blocks if isinstance(block, Figure) for line in block.lines), default=0)


def _button(player: LessonPlayer, own: StepProgress) -> str:
    enter, again, leave = player.keys["enter"], player.keys["lesson.retry"], player.keys["quit"]
    if own.held is not None and own.held.pane:
        return f"{enter}: go on"
    if own.state == RUNNING:
        return ""
    if own.state == FAILED:
        return f"{again} again, {player.keys['lesson.next']} skips, {leave} quits"
    if own.state == SKIPPED:
        return f"{enter}: next, {again} tries again"
    if player.is_done:
        return f"{enter}: next step" if player.at + 1 < len(player.steps) else f"{enter}: to the end"
    if player.task is not None and player.has_cluster:
        return f"{enter}: see one way to do it" if player.may_solve else "your turn"
    if player.needs_answer:
        return f"choose: {' '.join(player.options)}"
    return f"{enter}: do it"


def _verdict(answer: str, right: str) -> str:
    if not right:
        return "This run has no single right answer: see the trace."
    if answer == right:
        return f"{answer} is right."
    return f"You said {answer}. In this run {right} is right." if answer else f"{right} is right."


def _other_world(player: LessonPlayer) -> list[Piece]:
    """Which key plays a world in which the learner would have been right, where there is one."""
    text = f"{player.keys['lesson.would']}: when would your answer be right?"
    return [Piece("key", text)] if world_of(player) is not None else []


def _task(player: LessonPlayer, own: StepProgress) -> tuple[Piece, ...]:
    task = player.task
    if task is None:
        return ()
    pieces_of_task = [Piece("task", flowed(player.tell(task.text)))]
    if own.state == DONE:
        return (*pieces_of_task, Piece("right", "Done."))
    return (*pieces_of_task, *(Piece("hint", flowed(player.tell(hint.text))) for hint in task.hints[: own.hints]))


def _lines(player: LessonPlayer, own: StepProgress) -> tuple[tuple[str, str], ...]:
    """Commands always; what is expected only where it failed, since it would give the answer away."""
    section = player.section(player.step)
    if section is None or player.task is not None and own.state in (OPEN, DONE) and not own.place:
        return ()
    now = {RUNNING: "now", FAILED: "failed"}.get(own.state, "open")
    lines = []
    undone = section.steps[own.place :] if own.state != DONE else ()
    later = frozenset(item.name for item in undone if isinstance(item, Remember))
    for place, item in enumerate(section.steps):
        state = "done" if place < own.place or own.state == DONE else now if place == own.place else "open"
        if isinstance(item, Do | When | At):
            text, why = safe_text(f": {player.with_names(item.text, later)}", 200), own.failed.get(place)
            lines.append((state, text) if why is None else ("undone", f"{text}  \u2192  {why}"))
        elif state == "failed":
            lines.append((state, safe_text(item.text, 200)))
        elif state == "now":
            lines.append((state, "waiting ..."))
    checked = [("done", f"checked {own.checked}")] if own.checked and own.state == DONE else []
    if own.state == DONE and len(lines) > COMMANDS_MOST:
        lines = [("done", f"{len(lines)} commands")]
    return (*lines, *checked)


def _status(player: LessonPlayer, own: StepProgress) -> str:
    number, section = player.at + 1, player.section(player.step)
    if player.is_running and own.state != RUNNING:
        return "a step is still running: what was done before is played once more"
    if own.state == FAILED:
        if not player.has_cluster:
            return f"step {number}: {own.seen.rstrip('.')}. No cluster runs."
        what = safe_text(section.steps[own.place].text, 120) if section and own.place < len(section.steps) else ""
        return f"step {number}: {what}: {own.seen.rstrip('.')}. The cluster runs on."
    return f"step {number} was skipped" if own.state == SKIPPED else ""


def score_now(player: LessonPlayer) -> Score:
    """The learner's answers so far."""
    steps = tuple(KeptStep(own.state == DONE, own.answer, own.checked, own.told) for own in player.steps)
    return score_of(player.lesson, Kept(player.at, steps))


def _last_page(player: LessonPlayer, beliefs: Mapping[str, str]) -> LessonPage:
    lesson, score = player.lesson, score_now(player)
    pieces_of_page = [Piece("prose", f"{score.right} of {score.asked} questions right.")] if score.asked else []
    if score.transfer is not None:
        pieces_of_page.append(
            Piece("prose", f"In a setting you had not seen: {'right' if score.transfer else 'not right'}.")
        )
    if score.missed:
        pieces_of_page.append(Piece("heading", "Think of these once more"))
    for name, why in score.missed.items():
        pieces_of_page.append(
            Piece("wrong", f"You believed: {safe_text(beliefs.get(name, name.replace('-', ' ')), 300)}")
        )
        pieces_of_page += [Piece("right", f"In fact: {why}")] if why else []
    pieces_of_page.append(Piece("heading", "Three sentences to keep"))
    pieces_of_page += [
        Piece("keep", f"{place}. {flowed(text)}") for place, text in enumerate(lesson.last.keep, start=1)
    ]
    if lesson.last.documents:
        pieces_of_page.append(Piece("heading", "What the documents say"))
        for document in lesson.last.documents:
            pieces_of_page += document_pieces(document, player.tell)
    from workbench.course.incidents import incidents_of

    happened = incidents_of(lesson.name)
    if happened:
        pieces_of_page.append(Piece("heading", "It happened"))
    for incident in happened:
        incident_text = f"{incident.title} ({incident.year}): workbench incidents {incident.name}"
        pieces_of_page.append(Piece("prose", safe_text(incident_text, 200)))
    return LessonPage(
        title=safe_text(lesson.title, 120),
        step=len(player.steps) + 1,
        steps=len(player.steps),
        heading="What to keep",
        before=tuple(pieces_of_page),
        button=_last_button(player),
    )


def _last_button(player: LessonPlayer) -> str:
    lesson, keys = player.lesson, player.keys
    enter = f"{keys['enter']}: next" if lesson.next else f"{keys['enter']}: leave"
    return f"{enter}, {keys['lesson.c']}: challenge {lesson.challenge}" if lesson.challenge else enter
