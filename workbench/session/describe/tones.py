"""How an event is meant: the styles that sentences are shown in."""

from __future__ import annotations

GOOD, BAD, WARN, INFO, DIM = "good", "bad", "warn", "info", "dim"
