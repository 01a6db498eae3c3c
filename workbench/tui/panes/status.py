"""The answer rows and the key row."""

from __future__ import annotations

from workbench.session.live_verdicts import ALL_KEPT, LATE
from workbench.session.views.cluster import loss_words
from workbench.support.safe_text import safe_text
from workbench.telling.tell import describe
from workbench.tui.answer import Answer, bad, dim, warn
from workbench.tui.drawing.canvas import Area, Canvas, Rect, fit, wrap
from workbench.tui.drawing.layout import is_small
from workbench.tui.input.keys import ALWAYS_SHOWN, Key, footer_of
from workbench.tui.modes import AskingToLeave
from workbench.tui.theme.palette import BAR, BAR_KEY, TONES
from workbench.tui.ui_state import UiState

ANSWER_ROWS = 3
NARROW = 120
CLIENT_NEWS_NS = 10_000_000_000
"""After so long what a client was answered is no news any more."""


def answer_of(ui: UiState) -> Answer:
    """The question before leaving, trace trouble, the last command's answer, what clients did last."""
    if isinstance(ui.mode, AskingToLeave):
        stays = "" if ui.lesson else "y leaves it running, "
        return warn(f"{ui.keyboard.sign('quit')} again ends the cluster; {stays}any other key stays here")
    if ui.error:
        return bad(ui.error)
    if not ui.answer.text and ui.view.losses:
        return bad(f"COMMITTED AND LOST: {loss_words(ui.view.losses[-1])}")
    if not ui.answer.text and ui.recording.trouble:
        return warn(f"what is long ago cannot be shown: {safe_text(ui.recording.trouble, 200)}")
    return ui.answer if ui.answer.text else dim(_client_news(ui))


def _client_news(ui: UiState) -> str:
    newest = ui.view.newest_answer
    return describe(newest) if newest is not None and ui.shown_ns - newest.t_ns < CLIENT_NEWS_NS else ""


def verdict_of(ui: UiState, width: int) -> tuple[str, str]:
    """(text, tone): records that nobody holds any more, then the checker's line; in fewer words on a narrow screen."""
    text, tone = ui.verdicts.line if ui.verdicts is not None else ("", "dim")
    if width < NARROW:
        text = text.replace("broken as expected", "expected").replace("events to judge", "to judge")
        text = text.replace(ALL_KEPT, "promises kept").replace(LATE, "late")
        text = text if len(text) <= width // 2 else text.replace("promises ", "")
    if ui.view.losses:
        what = "records" if width < NARROW or tone == "bad" else loss_words(ui.view.losses[-1]).partition(":")[0]
        text, tone = f"\u2717 {what} LOST  {text}".rstrip(), "bad"
    most = width // 2
    return fit(text, most), tone


def answer_lines(ui: UiState, width: int, beside: str) -> list[str]:
    """The answer in at most three rows; the last of them leaves room for what stands beside it.

    More rows than one cover what stands above, such as what enter does. News that nobody asked for never do.
    """
    room = max(1, width - len(beside) - 3)
    answer = answer_of(ui)
    text = " ".join(answer.text.split())
    if answer.text == _client_news(ui):
        return [fit(text, room)]
    lines = [text] if len(text) <= room else wrap(text, max(1, width - 2))
    if len(lines[-1]) > room:
        lines.append("")
    if len(lines) > ANSWER_ROWS:
        lines = [*lines[: ANSWER_ROWS - 1], fit(" ".join(lines[ANSWER_ROWS - 1 :]), room)]
    return lines


def draw_answer(canvas: Canvas, ui: UiState) -> None:
    """Above the keys, in as many rows as it takes; the verdicts stand in the last of them."""
    width, (verdict, tone) = canvas.width, verdict_of(ui, canvas.width)
    lines, look = answer_lines(ui, width, verdict), TONES.get(answer_of(ui).tone, TONES["text"])
    area = canvas.area(Rect(0, canvas.height - 1 - len(lines), width, len(lines)))
    if len(lines) > 1:
        area.clear(BAR)
    for y, line in enumerate(lines):
        area.put(1, y, line.ljust(width - 1), look)
    area.right(area.height - 1, f"{verdict} ", TONES.get(tone, TONES["text"]))


def keys_now(ui: UiState, *, small: bool) -> list[Key]:
    """Those that work now and what each does now, the most used first. small: half of the screen is not shown."""
    listed = footer_of(
        ui.kind, simulated=ui.seed is not None, presenting=ui.presenting, table=ui.keyboard.table, small=small
    )
    return [item for item in (_as_it_is(item, ui) for item in listed) if item.short]


def draw_keys(area: Area, ui: UiState) -> None:
    """Keys that work now; the most needed ones stand at the right at every width."""
    area.clear(BAR)
    named = keys_now(ui, small=is_small(area.width, area.canvas.height))
    last = [item for item in named if item.shown in ALWAYS_SHOWN]
    end = area.width - sum(len(item.text) + len(item.short) + 3 for item in last)
    x = 1
    for item in named:
        if item not in last and x + len(item.text) + len(item.short) + 3 <= end:
            x = _key(area, x, item)
    x = end
    for item in last:
        x = _key(area, x, item)


def draw_keys_of(area: Area, keys: list[tuple[str, str]]) -> None:
    """The keys of an overlay, each with what it does; of those without room the last go first."""
    area.clear(BAR)
    x = 1
    for key, words in keys:
        if x + len(key) + len(words) + 1 < area.width:
            end = area.parts(x, 0, (key, BAR_KEY), (f" {words}  ", BAR))
            if words == "closes":
                area.spot(x, 0, end - x - 2, 1, "key", "escape")
            x = end


def _what_space_does(ui: UiState) -> str:
    if ui.director.is_on or ui.replay:
        return "stop" if ui.director.is_playing else "play"
    return "hold view" if ui.recording.follows else "follow"


def _as_it_is(item: Key, ui: UiState) -> Key:
    """A key that turns something on and off says which of the two it does now."""
    names = {name for _, _, name in item.keys}
    if "view.pause" in names:
        return item._replace(short=_what_space_does(ui))
    if "time.halt" in names and ui.pace is not None and ui.pace.is_halted:
        return item._replace(short="let time go")
    if "lesson.toggle" in names and not ui.lesson:
        return item._replace(short="tasks" if ui.shows_missions else "")
    if "lesson.back" in names and ui.page.is_open:  # b is an answer now; the arrow turns pages in front of the lesson
        back = (("left", "sideways(-1)", "left"),)
        is_near = ui.focus == "lesson"
        return item._replace(keys=back, label="\u2190", short="back") if is_near else item._replace(short="")
    return item


def _key(area: Area, x: int, item: Key) -> int:
    end = area.parts(x, 0, (item.text, BAR_KEY), (f" {item.short}  ", BAR))
    area.spot(x, 0, end - x - 2, 1, "key", item.keys[0][0].partition(",")[0] if item.keys else "enter")
    return end
