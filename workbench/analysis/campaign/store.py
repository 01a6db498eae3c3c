"""The output folder of a campaign: outcomes as Parquet, part by part, so that a broken-off campaign goes on."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from workbench.analysis.report.export import write_parquet
from workbench.analysis.store.claim import claim
from workbench.support.refusal import BAD_DATA, Refusal
from workbench.support.safe_text import safe_text
from workbench.support.state_files import write_state

if TYPE_CHECKING:
    import pyarrow as pa

MARKER = ".kraft-campaign"
RECORDINGS = "recordings.json"


class CampaignStore:
    """outcomes/part-N.parquet, recordings.json, runs/ID, and whatever the report writes."""

    def __init__(self, folder: Path) -> None:
        """Make or open it, for this process alone as long as it lives. Refusal when it holds something else, is in use,
        or cannot be written."""
        self._claim = claim(folder, MARKER, "campaign")
        self.folder = folder
        """Where everything is."""
        (folder / "outcomes").mkdir(mode=0o700, exist_ok=True)

    def close(self) -> None:
        """Let others have it."""
        os.close(self._claim)

    def _parts(self) -> list[Path]:
        return sorted((self.folder / "outcomes").glob("part-*.parquet"))

    def known(self, keys: set[str], seeds: range) -> list[dict[str, Any]]:
        """What was run already of these plans and seeds, each once."""
        import pyarrow as pa
        import pyarrow.compute as pc
        import pyarrow.parquet as pq

        outcomes: dict[tuple[str, int], dict[str, Any]] = {}
        for path in self._parts():
            try:
                table = pq.read_table(path)
                chosen = pc.is_in(table["cell"], pa.array(sorted(keys), pa.string()))
                rows = table.filter(chosen).to_pylist()
            except (OSError, pa.ArrowException, KeyError) as error:
                why = safe_text(str(error), 200)
                raise Refusal(BAD_DATA, f"{safe_text(str(path), 200)}: {why}; delete it and run again") from error
            for row in rows:
                if row["seed"] in seeds:
                    outcomes.setdefault((row["cell"], row["seed"]), row)
        return list(outcomes.values())

    def engines(self) -> list[str]:
        """Digests of the code that made what is there, the newest part's first."""
        import pyarrow.parquet as pq

        tables = [pq.read_table(path, columns=["engine"]) for path in reversed(self._parts())]
        return list(dict.fromkeys(name for table in tables for name in table["engine"].to_pylist()))

    def keep(self, table: pa.Table) -> None:
        """Store some outcomes, all or none."""
        last = max((int(path.stem.partition("-")[2]) for path in self._parts()), default=0)
        write_parquet(self.folder / "outcomes" / f"part-{last + 1:06}.parquet", table)

    def recordings(self) -> dict[str, str]:
        """KEY:SEED to the id of a recording that is still there."""
        try:
            plain = json.loads((self.folder / RECORDINGS).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        named = plain.items() if isinstance(plain, dict) else ()
        return {key: run for key, run in named if isinstance(run, str) and (self.folder / "runs" / run).is_dir()}

    def note_recording(self, key: str, run: str) -> None:
        """Remember which run shows what."""
        write_state(self.folder / RECORDINGS, {**self.recordings(), key: run})
