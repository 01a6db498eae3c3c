"""Why a run cannot be held against a specification."""

from __future__ import annotations


class NotJudged(Exception):
    """The specification has no word for something in the run, or the run is none. str() says what."""
