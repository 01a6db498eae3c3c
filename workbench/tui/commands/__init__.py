"""What can be done, without a screen. A key, a word, the mouse and the palette name a command; `commands.py` finds it.

A new command is a method marked with `@command` in the group where it belongs, and a row of `input/keys.py` or a word
of `input/words.py` that names it. It returns the answer to show, or None.
"""
