"""One table in a format for other programs."""

from __future__ import annotations

import csv
import json
import os
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from workbench.support.safe_text import safe_text

if TYPE_CHECKING:
    import pyarrow as pa

_FORMULA = ("=", "+", "-", "@")
TEXT_MAX = 100_000


def write_json(rows: list[dict[str, Any]], out: TextIO) -> None:
    """One array of objects, in ASCII; times in ISO 8601."""
    json.dump(rows, out, default=_plain, ensure_ascii=True)
    out.write("\n")


def write_csv(folder: Path, rows: list[dict[str, Any]], out: TextIO) -> None:
    """A header and a line for each row; lists as JSON, null as nothing."""
    schema = json.loads((folder / "_schema.json").read_text("utf-8"))
    write_csv_rows(rows, out, [item["name"] for item in schema["fields"]])


def write_csv_rows(rows: list[dict[str, Any]], out: TextIO, names: list[str] | None = None) -> None:
    """The same of rows that say their columns themselves."""
    writer = csv.writer(out, lineterminator="\n")
    columns = names if names is not None else list(rows[0]) if rows else []
    writer.writerow(columns)
    for row in rows:
        writer.writerow([_cell(row[name]) for name in columns])


def export_parquet(folder: Path, table: Path, rows: list[dict[str, Any]]) -> Path:
    """One file NAME.parquet in the output folder, for a table that has its schema there; it replaces the one before."""
    import pyarrow as pa
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.sql.types import StructType

    plain = json.loads((table / "_schema.json").read_text("utf-8"))
    columns = to_arrow_schema(StructType.fromJson(plain), timezone="UTC")
    return write_parquet(folder / f"{table.name}.parquet", pa.Table.from_pylist(rows, columns))


def write_parquet(path: Path, rows: pa.Table) -> Path:
    """Replace a file, whole or not at all."""
    import pyarrow.parquet as pq

    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    pq.write_table(rows, temporary)
    return temporary.replace(path)


def _cell(value: object) -> object:
    """Text from outside could be taken for a formula by a spreadsheet, so it gets an apostrophe then."""
    if isinstance(value, str):
        text = safe_text(value, TEXT_MAX)
        return f"'{text}" if text.startswith(_FORMULA) else text
    if isinstance(value, list):
        return json.dumps(value, default=_plain)
    return value


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date) else str(value)
