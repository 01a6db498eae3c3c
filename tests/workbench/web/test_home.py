"""The first page has a link for everything that a tab opens, is well-formed, and lets no text become markup."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from workbench.challenges.catalogue import CHALLENGES
from workbench.challenges.hunt import LEVELS
from workbench.course.incidents import incident_names
from workbench.course.library import lesson_names
from workbench.web import home
from workbench.web.home import Item, Section, home_page
from workbench.web.links import KINDS, read_link

STYLE = Path(home.__file__).with_name("page") / "home.css"
VOID = {"meta", "link", "img", "source", "br"}


class Reader(HTMLParser):
    """Collects links and ids, and fails where an element is not closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.links: list[str] = []
        self.ids: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        values = dict(attrs)
        self.ids += [values["id"] or ""] if "id" in values else []
        self.links += [values["href"] or ""] if tag == "a" else []

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


TEXT = home_page(has_docs=True)
PAGE = Reader(TEXT)


def test_each_lesson_incident_and_challenge_of_a_tab_has_its_link() -> None:
    numbers = [name.partition("_")[0].lstrip("0") for name in lesson_names()]
    assert [link for link in PAGE.links if "#lesson=" in link][1:] == [
        f"tab.html#lesson={number}" for number in numbers
    ]
    assert [link for link in PAGE.links if "#incident=" in link] == [
        f"tab.html#incident={name}" for name in incident_names()
    ]
    assert [link for link in PAGE.links if "#challenge=" in link] == [
        f"tab.html#challenge={listed.number}" for listed in CHALLENGES if listed.number not in (7, 8)
    ]
    assert [link for link in PAGE.links if "#hunt=" in link] == [f"tab.html#hunt={level}" for level in LEVELS]
    assert {"tab.html#lab", "tab.html#runs"} <= set(PAGE.links)


def test_every_link_to_the_tab_is_one_that_it_reads() -> None:
    for link in PAGE.links:
        if link.startswith("tab.html"):
            assert read_link(link.removeprefix("tab.html")).kind in KINDS


def test_every_title_and_what_it_teaches_stands_there_without_a_script() -> None:
    assert "script" not in PAGE.tags
    for listed in CHALLENGES:
        assert f"{listed.number}. {listed.title}" in TEXT or listed.number == 7
    assert TEXT.count("<li>") == 2 + len(lesson_names()) + len(CHALLENGES) - 1 + len(LEVELS) + 3 + len(incident_names())


def test_a_link_within_the_page_leads_somewhere_and_ids_are_unique() -> None:
    assert {link[1:] for link in PAGE.links if link.startswith("#")} <= set(PAGE.ids)
    assert len(PAGE.ids) == len(set(PAGE.ids))


def test_the_documentation_and_its_pictures_are_named_only_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(home, "all_sections", tuple)
    assert "docs/" in TEXT and "docs/" not in home_page(has_docs=False)


def test_nothing_is_asked_of_another_origin_and_no_style_stands_in_the_page() -> None:
    assert not re.search(r"https?:|//|style=|<style|\son[a-z]+=", TEXT.replace("</", ""))
    assert "default-src 'self'" in TEXT
    assert "url(" not in STYLE.read_text("utf-8")


def test_text_never_becomes_markup(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = '<script>"x"</script>\x1b[31m\u202e'
    section = Section("bad", bad, bad, (Item(bad, bad, 'lab=x"onclick="y', bad),))
    monkeypatch.setattr(home, "all_sections", lambda: (section,))
    text = home_page(has_docs=False)
    assert "<script" not in text and "\x1b" not in text and "\u202e" not in text and 'x"onclick' not in text
    assert text.count("&lt;script&gt;") == 6
