"""The page that a student has: the question with its options, or a line that says to wait. No script is in it."""

from __future__ import annotations

from html import escape

from workbench.classroom.votes import Asked, Seen

AGAIN_S = 3
"""After so many seconds a page on which nothing can be chosen asks for the next."""
STYLE = """
:root { color-scheme: light dark; }
body { font: 1.15rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 34rem; padding: 1.2rem;
  color: #1c2430; background: #ffffff; }
h1 { font-size: 1rem; font-weight: 600; color: #51607a; margin: 0 0 .6rem; }
p { margin: 0 0 1rem; }
p.asked { font-size: 1.3rem; line-height: 1.35; font-weight: 600; }
button { display: grid; grid-template-columns: auto 1fr; gap: .8rem; width: 100%;
  margin: 0 0 .7rem; padding: .9rem 1rem; text-align: left; font: inherit;
  color: inherit; background: #eef2f8; border: 2px solid #c3cede; border-radius: .6rem; }
button.chosen { border-color: #1f5fbf; background: #dce9fc; font-weight: 600; }
button:focus-visible { outline: 3px solid #1f5fbf; }
@media (prefers-color-scheme: dark) {
  body { color: #e4eaf4; background: #10151e; } h1 { color: #9db0cc; }
  button { background: #1c2635; border-color: #3a4a63; } button.chosen { background: #17345f; border-color: #7db1ff; }
}
"""


def student_page(seen: Seen) -> str:
    """HTML of what one voter is shown."""
    asked, letter = seen.asked, seen.letter
    if asked is None:
        return _document("<p>Nothing is asked now. The next question comes here by itself.</p>", True)
    own_answer = f"<p>You said <b>{escape(letter)}</b>.</p>" if letter else ""
    if not seen.is_open:
        return _document(f"{_question(asked)}{own_answer}<p>The vote is closed. Look at the screen.</p>", True)
    once = "<p>Vote again, after you have talked about it.</p>" if seen.turn > 1 else ""
    change = "<p>You can still change it.</p>" if letter else ""
    buttons = "".join(_button(each, choice, letter) for each, choice in zip(asked.letters, asked.choices, strict=True))
    form = f'<form method="post"><input type="hidden" name="question" value="{seen.number}">{buttons}</form>'
    # A page that is being read is not taken away: it asks again only once the student has chosen.
    return _document(f"{_question(asked)}{once}{form}{own_answer}{change}", bool(letter))


def _question(asked: Asked) -> str:
    return f'<h1>{escape(asked.heading)}</h1><p class="asked">{escape(asked.text)}</p>'


def _button(letter: str, choice: str, chosen: str) -> str:
    look = ' class="chosen" aria-pressed="true"' if letter == chosen else ""
    return f'<button name="answer" value="{letter}"{look}><b>{letter}</b><span>{escape(choice)}</span></button>'


def _document(body: str, asks_again: bool) -> str:
    again = f'<meta http-equiv="refresh" content="{AGAIN_S}">' if asks_again else ""
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">{again}'
        f"<title>Your answer</title><style>{STYLE}</style></head><body><main>{body}</main></body></html>"
    )
