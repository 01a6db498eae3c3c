"""Makes one site of docs/ and of the pages that stand beside the code. mkdocs calls the two functions: mkdocs.yml."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
OUTSIDE = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
    "SECURITY.md": "security.md",
    "cluster/README.md": "architecture/cluster.md",
    "cluster/kafka/README.md": "architecture/kafka.md",
    "cluster/scenario/README.md": "reference/scripts.md",
    "lessons/README.md": "reference/lesson-files.md",
    "campaigns/README.md": "reference/campaign-files.md",
}
"""Pages that do not stand in docs/, and where the site has them."""
LINK = re.compile(r"(?<=\]\()([^)\s#]+)")


def on_files(files: Any, config: Any) -> Any:
    """Add the pages from outside."""
    from mkdocs.structure.files import File

    for source, place in OUTSIDE.items():
        files.append(File.generated(config, place, content=(ROOT / source).read_text("utf-8")))
    return files


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Point links, which name files of the repository, to pages of the site."""
    return LINK.sub(lambda found: site_link(found[1], page.file.src_uri), markdown)


def site_link(link: str, place: str) -> str:
    """A link of the page at `place`, as the site needs it. Web addresses stay, and so does what the site has not."""
    if "://" in link or link.startswith("mailto:"):
        return link
    target = os.path.relpath((source_of(place).parent / link).resolve(), ROOT)
    found = OUTSIDE.get(target) or (target.removeprefix("docs/") if target.startswith("docs/") else "")
    return os.path.relpath(found, Path(place).parent) if found else link


def source_of(place: str) -> Path:
    """The file of the repository that a page of the site is made from."""
    outside = {page: source for source, page in OUTSIDE.items()}
    return ROOT / outside.get(place, f"docs/{place}")
