"""The terminal screen: a character canvas, pure panes, one Textual app."""
