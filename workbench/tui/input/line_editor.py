"""One line of text being typed, with history. Drawn by the command bar; knows no terminal."""

from __future__ import annotations

LINE_MAX = 400
HISTORY_MAX = 200
NEXT_LINE = "\u240a"
"""Between two commands of one line: what was pasted as several runs one after the other."""


def lines_of(text: str) -> list[str]:
    """The commands of a line, or of what is pasted, without those that are blank."""
    return [each.strip() for each in text.replace(NEXT_LINE, "\n").splitlines() if each.strip()]


class LineEditor:
    """Text, caret and earlier lines."""

    def __init__(self) -> None:
        self.text = ""
        self.caret = 0
        """Characters before it."""
        self.history: list[str] = []
        """Oldest first."""
        self._place = 0
        self._draft = ""

    def open(self, text: str) -> None:
        """Begin a new line."""
        self.replace(text)
        self._place, self._draft = len(self.history), text

    def replace(self, text: str) -> None:
        """Other text, caret at its end."""
        self.text = text[:LINE_MAX]
        self.caret = len(self.text)

    def insert(self, typed: str) -> None:
        """Put printable characters at the caret; all others are left out."""
        clean = "".join(char for char in typed if char.isprintable())[: LINE_MAX - len(self.text)]
        self.text = self.text[: self.caret] + clean + self.text[self.caret :]
        self.caret += len(clean)

    def remember(self) -> None:
        """Keep the line in the history, once."""
        if self.text.strip() and (not self.history or self.history[-1] != self.text):
            self.history.append(self.text)
            del self.history[:-HISTORY_MAX]

    def press(self, key: str) -> bool:
        """Carry out an editing key; False when it is none."""
        if key in ("up", "down"):
            self._recall(-1 if key == "up" else 1)
            return True
        text, caret = self.text, self.caret
        match key:
            case "left" | "ctrl+b":
                self.caret = max(0, caret - 1)
            case "right" | "ctrl+f":
                self.caret = min(len(text), caret + 1)
            case "home" | "ctrl+a":
                self.caret = 0
            case "end" | "ctrl+e":
                self.caret = len(text)
            case "backspace" | "ctrl+h":
                self.text, self.caret = text[: max(0, caret - 1)] + text[caret:], max(0, caret - 1)
            case "delete" | "ctrl+d":
                self.text = text[:caret] + text[caret + 1 :]
            case "ctrl+u":
                self.text, self.caret = text[caret:], 0
            case "ctrl+k":
                self.text = text[:caret]
            case "ctrl+w":
                head = text[:caret].rstrip()
                head = head[: head.rfind(" ") + 1]
                self.text, self.caret = head + text[caret:], len(head)
            case _:
                return False
        return True

    def _recall(self, direction: int) -> None:
        if self._place == len(self.history):
            self._draft = self.text
        self._place = max(0, min(len(self.history), self._place + direction))
        self.replace(self.history[self._place] if self._place < len(self.history) else self._draft)
