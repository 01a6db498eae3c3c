"""Patterns of topics: what they match, what is refused, and that none takes long."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cluster.groups.consumer.topic_pattern import PatternError, matches

CHARS = st.sampled_from("ab.-_9")
NAMES = st.text(alphabet="ab.-_9", max_size=8)
ATOMS = st.one_of(
    CHARS.map(re.escape),
    st.sampled_from((".", "[ab]", "[^a]", "[a-z9]", r"\d", r"\w", r"\W", "^", "$", "[-a]", "[]a]")),
)
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map("".join),
        st.tuples(inner, st.sampled_from(("*", "+", "?", "{2}", "{1,}", "{0,2}", "*?"))).map(
            lambda it: f"(?:{it[0]}){it[1]}"
        ),
        st.tuples(inner, inner).map(lambda it: f"({it[0]}|{it[1]})"),
    ),
    max_leaves=6,
)


@given(pattern=PATTERNS, name=NAMES)
def test_a_whole_name_matches_as_in_pythons_own_matcher(pattern: str, name: str) -> None:
    assert matches(pattern, name) == (re.fullmatch(pattern.replace("$", r"\Z"), name) is not None)


@pytest.mark.parametrize(
    ("pattern", "yes", "no"),
    [
        ("^orders.*", "orders-eu", "my-orders"),
        ("orders", "orders", "orders2"),
        ("a|b", "b", "ab"),
        ("(eu|us)-.+", "us-1", "us-"),
        (r"t\.[0-9]{2,3}$", "t.123", "t.1"),
        ("", "", "a"),
        ("a{,2}", "never", "a"),
    ],
)
def test_examples(pattern: str, yes: str, no: str) -> None:
    assert matches(pattern, yes) or yes == "never"
    assert not matches(pattern, no)


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "a)", "[a", "*a", "a**", "(?i)a", "(?P<n>a)", r"\b", r"\pL", "\\", "[z-a]", "a{2000}", "[[:alpha:]]",
     "a{3,2}", "(" * 60 + ")" * 60, "a" * 1_001, "((a{100}){100}){100}"],
)  # fmt: skip
def test_what_cannot_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(PatternError):
        matches(pattern, "a")


@given(st.text(alphabet="ab|()[]{}*+?^$\\.-,1d", max_size=20))
def test_whatever_is_said_is_read_or_refused(pattern: str) -> None:
    try:
        matches(pattern, "abab")
    except PatternError:
        return


def test_a_pattern_that_makes_others_step_back_for_ever_takes_no_time() -> None:
    assert not matches("(a*)*b", "a" * 249)
    assert not matches("(a|a)*(a|a)*(a|a)*b", "a" * 249)
