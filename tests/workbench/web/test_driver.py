"""A page as the terminal of a real app: what is drawn, what is typed, and the size, by functions."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import Static

from workbench.web.driver import BEGIN, END, MOUSE, TabDriver

LIMIT_S = 30


class Typed(App[str]):
    """Shows its size, and keeps what comes in."""

    def __init__(self) -> None:
        super().__init__(driver_class=TabDriver)
        self.happened: list[str] = []
        self.changed = asyncio.Event()

    def compose(self) -> ComposeResult:
        yield Static("a page of ours", markup=False)

    def note(self, text: str) -> None:
        self.happened.append(text)
        self.changed.set()

    def on_ready(self) -> None:
        self.note("ready")

    def on_key(self, event: events.Key) -> None:
        self.note(event.key)
        if event.key == "q":
            self.exit("left")

    def on_click(self, event: events.Click) -> None:
        self.note(f"click {event.x},{event.y}")

    def on_paste(self, event: events.Paste) -> None:
        self.note(f"paste {event.text}")

    def on_resize(self, event: events.Resize) -> None:
        self.note(f"{event.size.width}x{event.size.height}")

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(LIMIT_S):
            while not holds():
                self.changed.clear()
                await self.changed.wait()


@asynccontextmanager
async def shown(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[tuple[Typed, list[str]]]:
    """The app in its page until it is left with q, and what it draws."""
    drawn: list[str] = []
    monkeypatch.setattr(TabDriver, "draw", drawn.append, raising=False)
    monkeypatch.setattr(TabDriver, "size", (90, 30))
    app = Typed()
    running = asyncio.ensure_future(app.run_async(mouse=True))
    await app.until(lambda: {"90x30", "ready"} <= set(app.happened))
    yield app, drawn
    TabDriver.typed("q")
    async with asyncio.timeout(LIMIT_S):
        assert await running == "left"


async def test_an_app_is_drawn_and_gives_the_page_back(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(monkeypatch) as (app, drawn):
        TabDriver.typed("x")
        await app.until(lambda: "x" in app.happened)
    text = "".join(drawn)
    assert text.startswith(BEGIN + MOUSE) and text.endswith(END)
    assert "a page of ours" in text


async def test_keys_clicks_and_pasted_text_come_in_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(monkeypatch) as (app, _):
        for data in ("a", "\x1b", "\x1b[A", "\r", "\x1b[<0;3;1M", "\x1b[<0;3;1m", "\x1b[200~kill 2\x1b[201~", "z"):
            TabDriver.typed(data)
        await app.until(lambda: {"z", "click 2,0", "paste kill 2"} <= set(app.happened))
        keys = app.happened[app.happened.index("a") :]
    assert keys[:4] == ["a", "escape", "up", "enter"], "escape alone waits for nothing"


async def test_another_size_of_the_page_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    async with shown(monkeypatch) as (app, _):
        TabDriver.resized(100, 40)
        await app.until(lambda: "100x40" in app.happened)
    assert TabDriver.current is None
    TabDriver.resized(80, 24)
    TabDriver.typed("a")  # nobody is there: nothing happens
    assert app.happened[-1] == "q"
