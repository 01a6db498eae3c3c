"""The terminal screen: a character canvas, pure panes, one Textual app."""

import os

# How long Textual may sit on rows that are to be repainted: 4 ms, not the 17 ms of its default. How many frames there
# are is ours to say (screens/workbench.py), so this paints nothing more often. Read once, when Textual is imported.
os.environ.setdefault("TEXTUAL_FPS", "240")
