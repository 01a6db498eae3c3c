"""Makes the folder that a site is built from: docs/ and the pages that stand beside the code, links led to each other.

python -m tools.docs_site build/docs [--beside-tab]
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from html import escape
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "cluster/README.md": "architecture/cluster.md",
    "cluster/kafka/README.md": "architecture/kafka.md",
    "workbench/web/README.md": "architecture/tab.md",
    "cluster/scenario/README.md": "reference/scripts.md",
    "lessons/README.md": "reference/lesson-files.md",
    "campaigns/README.md": "reference/campaign-files.md",
}
"""Pages that do not stand in docs/, and where the site has them."""
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")
TAB = "https://example.org/kraft-workbench/"
"""Where the README says that the tab is; whoever publishes it fills it in."""
FIGURE = re.compile(r"^```lab\n(.*?)^```$", re.M | re.S)
"""A script in a page, which a site with the tab beside it plays."""


def make_folder(folder: Path, *, beside_tab: bool = False) -> None:
    """Make the folder anew. beside_tab: the site stands in docs/ of a site that has the tab."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for source, place in OUTSIDE.items():
        shutil.copy(ROOT / source, folder / place)
    for page in folder.rglob("*.md"):
        place = page.relative_to(folder).as_posix()
        text = site_text(page.read_text("utf-8"), place)
        page.write_text(with_tab(text, place) if beside_tab else text, "utf-8")


def site_text(text: str, place: str) -> str:
    """Links, which name files of the repository, point to pages of the site."""
    return LINK.sub(lambda link: site_link(link[1], place), text)


def with_tab(text: str, place: str) -> str:
    """Links to the tab lead to the one beside, and below each figure it lives: it starts when it is clicked."""
    above = "../" * (1 + place.count("/"))

    def living(figure: re.Match[str]) -> str:
        address = f"{above}tab.html#lab&script={quote(figure[1], safe='')}"
        return (
            f'{figure[0]}\n\n<iframe src="{escape(address)}" title="A simulated cluster that does this" width="100%" '
            f'height="420" loading="lazy" style="border:0"></iframe>\n'
        )

    return FIGURE.sub(living, text.replace(f"]({TAB})", f"]({above}index.html)"))


def site_link(link: str, place: str) -> str:
    """A link of the page at `place`, as the site needs it. Web addresses stay, and so does what the site has not."""
    if "://" in link or link.startswith("mailto:"):
        return link
    target = os.path.relpath((source_of(place).parent / link).resolve(), ROOT)
    page = OUTSIDE.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else "")
    return os.path.relpath(page, Path(place).parent) if page else link


def source_of(place: str) -> Path:
    """The file of the repository that a page of the site is made from."""
    outside = {page: source for source, page in OUTSIDE.items()}
    return ROOT / outside.get(place, f"docs/{place}")


if __name__ == "__main__":
    make_folder(Path(sys.argv[1]), beside_tab="--beside-tab" in sys.argv[2:])
