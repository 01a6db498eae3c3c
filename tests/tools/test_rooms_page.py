from __future__ import annotations

from tools.rooms_page import HOUSES, ROOT, rooms_of, rooms_page


def test_every_package_has_a_floor_and_says_what_it_is() -> None:
    for house in HOUSES:
        packages = {f"{house}/{file.parent.name}" for file in (ROOT / house).glob("*/__init__.py")}
        assert {room for _, room in rooms_of(house)} == packages
    assert "|  |" not in rooms_page()
