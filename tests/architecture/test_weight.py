"""What each room weighs, and that none grows unnoticed."""

from __future__ import annotations

from tests.architecture.allowances import differences, tokens_of

HINT = "python -m tests.architecture.allowances writes the numbers; a commit that raises one says what it brings"


def test_no_room_grows_or_gets_lighter_unnoticed() -> None:
    assert differences("weight") == [], HINT


CODE = """
def end(log: Log) -> int:
    return log.end + 1
"""
WITH_WORDS = """
'''A module.'''

def end(log: Log) -> int:
    '''Exclusive.

    Of the log.
    '''
    # why
    return log.end + 1
"""


def test_only_code_weighs() -> None:
    assert tokens_of(CODE) == 16
    assert tokens_of(WITH_WORDS) == tokens_of(CODE)
