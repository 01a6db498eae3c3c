"""The table of colours keeps the contrasts that were chosen for it."""

from __future__ import annotations

import pytest
from rich.style import Style

from workbench.tui.theme.roles import EPOCHS, FILLS, GROUNDS, ROLES, epoch_place


def luminance(colour: str) -> float:
    """Source: WCAG 2.1, "relative luminance"."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(look: Style) -> float:
    assert look.color is not None and look.bgcolor is not None
    one, other = sorted((luminance(look.color.name), luminance(look.bgcolor.name)), reverse=True)
    return (one + 0.05) / (other + 0.05)


def ratio(ink: str, ground: str) -> float:
    return contrast(Style(color=ink, bgcolor=ground))


STATED = {
    "line": (1.6, 1.6), "rail": (1.8, 1.9), "faint": (4.8, 5.0), "dim": (6.0, 5.9), "text": (10.7, 11.9),
    "bright": (17.6, 20.1), "flow": (8.2, 6.6), "flow_trail": (4.3, 4.0), "ask": (9.5, 5.8), "ask_trail": (4.8, 4.2),
    "yes": (9.6, 6.4), "yes_trail": (4.7, 4.1), "no": (6.3, 6.8), "no_trail": (4.1, 4.4), "crown": (13.8, 6.4),
    "hw": (8.3, 6.7), "task": (12.1, 7.6), "focus": (7.2, 6.6),
}  # fmt: skip
"""Contrast of each role on the stage, dark and light."""
STATED_FILLS = {"no": (4.8, 5.3), "ask": (6.9, 5.0), "yes": (6.1, 5.4), "crown": (7.8, 5.5), "task": (9.2, 6.1)}


def test_each_role_has_the_contrast_that_was_chosen_for_it() -> None:
    stage = GROUNDS["stage"]
    found = {name: (ratio(it.dark, stage.dark), ratio(it.light, stage.light)) for name, it in ROLES.items()}
    assert {name: pytest.approx(both, abs=0.11) for name, both in STATED.items()} == found
    words = GROUNDS["words"]
    for name, it in ROLES.items():
        if name not in ("bright", "text", "crown"):
            assert ratio(it.dark, words.dark) > STATED[name][0] - 0.5, name
            assert ratio(it.light, words.light) > STATED[name][1] - 0.7, name


def test_each_fill_carries_its_own_role() -> None:
    found = {
        name: (ratio(ROLES[name].dark, FILLS[name].dark), ratio(ROLES[name].light, FILLS[name].light))
        for name in STATED_FILLS
    }
    assert {name: pytest.approx(both, abs=0.11) for name, both in STATED_FILLS.items()} == found
    for theme in ("dark", "light", "contrast"):
        for fill in FILLS.values():
            assert ratio(getattr(ROLES["bright"], theme), getattr(fill, theme)) > 7, (theme, fill)
        for name in ("no", "selected"):  # boxes of nodes have labels on these
            assert ratio(getattr(ROLES["dim"], theme), getattr(FILLS[name], theme)) > 4.5, (theme, name)


@pytest.mark.parametrize("theme", ("dark", "light", "contrast"))
def test_the_digit_of_an_epoch_can_be_read_on_its_fill_and_alone(theme: str) -> None:
    for colours in EPOCHS:
        digit, fill = getattr(colours.digit, theme), getattr(colours.fill, theme)
        assert ratio(digit, fill) > 5.5 and ratio(digit, getattr(GROUNDS["stage"], theme)) > 5.5, colours
        if theme == "dark":
            assert 6.7 < ratio(digit, fill) < 8.2, colours


def test_an_epoch_has_the_colour_of_its_place_and_begins_again_from_the_first() -> None:
    assert [epoch_place(epoch) for epoch in (-1, 0, 1, 2, 3, 4, 5, 8, 9)] == [0, 0, 1, 2, 3, 4, 1, 4, 1]
