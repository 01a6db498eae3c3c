"""README and docs say what there is: each link leads somewhere, and each command, key, folder and file exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from cluster.scenario.parse import parse_script
from tools.docs_site import FIGURE, LINK, OUTSIDE, TAB, make_folder, site_link, with_tab
from tools.made_pages import PAGES, outdated
from workbench.cli.app import app
from workbench.course.library import lesson_names

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WRITTEN = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in OUTSIDE)]
TEXTS = {str(path.relative_to(ROOT)): path.read_text("utf-8") for path in WRITTEN}
NAV = set(re.findall(r"^ +- .+: (\S+\.md)$", (ROOT / "mkdocs.yml").read_text("utf-8"), re.M))
HEADING = re.compile(r"^#+ +(.+)$", re.M)
FENCED = re.compile(r"^```.*?^```", re.M | re.S)
CODE = re.compile(r"`([^`\n]+)`")
FOLDERS = "cluster|workbench|tests|lessons|campaigns|docs|tools|benchmarks"
OWN_PATH = re.compile(rf"(?:{FOLDERS})(?:/[\w.-]+)+/?")
BESIDE = re.compile(r"[a-z_]+(?:/[a-z_]+)+\.py")
"""A file as a page beside the code names it."""


def anchors(text: str) -> set[str]:
    """What a link may name after a #."""
    plain = [re.sub(r"[^\w\s-]", "", title).strip().lower() for title in HEADING.findall(FENCED.sub("", text))]
    return {re.sub(r"[\s-]+", "-", title) for title in plain}


@pytest.mark.parametrize("name", TEXTS)
def test_every_link_leads_somewhere(name: str) -> None:
    links = re.findall(r"\]\(([^)\s#]*)(?:#([^)\s]+))?\)", FENCED.sub("", TEXTS[name]))
    for link, anchor in links:
        if "://" in link:
            continue
        target = (ROOT / name).parent / link if link else ROOT / name
        assert target.is_file(), link
        assert not anchor or anchor in anchors(target.read_text("utf-8")), f"{link}#{anchor}"


def test_every_page_stands_in_the_navigation_and_nothing_else() -> None:
    assert {str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md")} | set(OUTSIDE.values()) == NAV


def test_a_link_to_a_file_beside_the_code_leads_to_its_page_of_the_site() -> None:
    assert site_link("../../cluster/README.md", "architecture/index.md") == "cluster.md"
    assert site_link("docs/guide/lab.md", "index.md") == "guide/lab.md"
    assert site_link("../README.md", "architecture/cluster.md") == "../index.md"
    assert LINK.search("[that](https://example.org)"), "found, and left as it is:"
    assert site_link("https://example.org", "index.md") == "https://example.org"


def test_the_folder_of_the_site_has_each_page_and_every_link_stays_in_it(tmp_path: Path) -> None:
    """Whatever builds the site, it needs nothing of ours any more."""
    folder = tmp_path / "docs"
    (folder / "old").mkdir(parents=True)
    make_folder(folder)
    pages = {page.relative_to(folder).as_posix(): page.read_text("utf-8") for page in folder.rglob("*.md")}
    assert pages.keys() == NAV
    assert not (folder / "old").exists(), "made anew"
    for name, text in pages.items():
        links = [link for link in LINK.findall(FENCED.sub("", text)) if "://" not in link]
        assert [link for link in links if not (folder / name).parent.joinpath(link).is_file()] == [], name


def test_a_figure_that_lives_is_a_script_to_read_and_beside_a_tab_it_plays() -> None:
    figures = [figure for text in TEXTS.values() for figure in FIGURE.findall(text)]
    assert len(figures) >= 2
    assert all(parse_script(figure).sections[0].plan is not None for figure in figures)
    page = with_tab("```lab\ncluster controllers=1\nkill 1\n```\n", "guide/lab.md")
    assert page.startswith("```lab\ncluster") and 'loading="lazy"' in page
    assert 'src="../../tab.html#lab&amp;script=cluster%20controllers%3D1%0Akill%201%0A"' in page


def test_beside_a_tab_the_readme_leads_to_it() -> None:
    assert TAB in TEXTS["README.md"]
    assert TAB not in with_tab(TEXTS["README.md"], "index.md")
    assert "](../index.html)" in with_tab(TEXTS["README.md"], "index.md")


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_is_made_from_the_code_says_what_the_code_says(name: str) -> None:
    assert name not in outdated(), "to make it anew: make pages"


@pytest.mark.parametrize("name", TEXTS)
def test_every_file_and_folder_that_is_named_exists(name: str) -> None:
    words = CODE.findall(FENCED.sub("", TEXTS[name]))
    assert [word for word in words if OWN_PATH.fullmatch(word) and not (ROOT / word).exists()] == []
    beside = [word for word in words if BESIDE.fullmatch(word) and not OWN_PATH.fullmatch(word)]
    folder = (ROOT / name).parent
    assert [word for word in beside if not any((at / word).exists() for at in (folder, ROOT))] == []


@pytest.mark.parametrize("name", TEXTS)
def test_every_command_and_every_target_of_make_exists(name: str) -> None:
    commands = {command.callback.__name__.replace("_", "-") for command in app.registered_commands if command.callback}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    blocks = "\n".join(FENCED.findall(TEXTS[name])) + "\n" + "\n".join(CODE.findall(FENCED.sub("", TEXTS[name])))
    assert set(re.findall(r"^workbench ([a-z][a-z-]*)", blocks, re.M)) <= commands
    assert set(re.findall(r"^make ([a-z-]+)", blocks, re.M)) <= targets


def test_every_target_of_make_that_ci_calls_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    for path in [*(ROOT / ".github" / "workflows").glob("*.yml"), ROOT / ".ci" / "run"]:
        called = re.findall(r"^(?: *-? ?run: )?make ([a-z-]+)", path.read_text("utf-8"), re.M)
        assert set(called) <= targets
        assert called, path.name


def test_every_lesson_stands_in_the_guide() -> None:
    for name in lesson_names():
        assert f"| {name.partition('_')[0].lstrip('0')} " in TEXTS["docs/guide/lessons.md"]


CONCEPT = re.compile(r"^\| ([^|`]+) \| `([^|`]+)` \| ([^|]+) \|$", re.M)
CONCEPTS = CONCEPT.findall(TEXTS["docs/architecture/where-is-it.md"])


STOP = re.compile(r"^\| `([^|`]+)` \| ([^|]+) \|$", re.M)
STOPS = STOP.findall(TEXTS["docs/architecture/read-this-first.md"])
PATH_LINES_MAX = 3200
"""What two hours are enough for."""


@pytest.mark.parametrize(("file", "names"), STOPS)
def test_a_stop_of_the_reading_path_is_there(file: str, names: str) -> None:
    tree = ast.parse((ROOT / file).read_text("utf-8"))
    named = {getattr(node, "name", getattr(node, "id", "")) for node in ast.walk(tree)}
    assert set(CODE.findall(names)) <= named


def test_the_reading_path_takes_two_hours() -> None:
    assert len(STOPS) >= 12
    assert sum(len((ROOT / file).read_text("utf-8").splitlines()) for file, _ in STOPS) <= PATH_LINES_MAX


def test_there_are_concepts_enough() -> None:
    assert len(CONCEPTS) >= 20


@pytest.mark.parametrize(("concept", "file", "names"), CONCEPTS)
def test_a_concept_is_where_the_page_says_and_the_files_name_leads_to_it(concept: str, file: str, names: str) -> None:
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    defined = {node.name for node in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))) if isinstance(node, kinds)}
    assert set(CODE.findall(names)) <= defined
    words = {word[:4].lower() for word in re.findall(r"[A-Za-z]{4,}", concept)}
    assert [word for word in words if word in Path(file).stem], "no word of it is in the name of its file"
