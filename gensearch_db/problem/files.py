"""Files that a problem names: sources, taxonomies, workloads, beside the problem file itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_FILE = re.compile(r"\.(csv|tsv|txt|parquet)(\.gz|\.zst)?$", re.IGNORECASE)


def is_file(source: str) -> bool:
    """Whether a source names a Parquet or CSV file rather than a table or a query."""
    return not source.lstrip().startswith("(") and bool(_FILE.search(source))


_WORKLOAD = re.compile(r"'([^']+\.sql)'", re.IGNORECASE)
"""A file of count queries in the text of a cost."""


def _within(folder: Path, name: str) -> str:
    """The path of a file named beside a problem file, as the text of a string in a cost."""
    return (name if Path(name).is_absolute() else str(folder / name)).replace("'", "''")


def beside(fields: dict[str, Any], folder: Path) -> dict[str, Any]:
    """The fields with the paths of the files that they name taken as relative to a folder."""

    def resolve(source: Any) -> Any:
        """A file's path, relative to the folder; anything else as it is."""
        named = isinstance(source, str) and (is_file(source) or source.lower().endswith(".json"))  # taxonomies may be JSON
        if named and not Path(source).is_absolute():
            return str(folder / source)
        return source

    fields = dict(fields)
    if "table" in fields:
        fields["table"] = resolve(fields["table"])
    if isinstance(fields.get("minimize"), str):
        fields["minimize"] = _WORKLOAD.sub(lambda found: f"'{_within(folder, found[1])}'", fields["minimize"])
    for field in ("quasi_identifiers", "sensitive"):
        columns = fields.get(field)
        if isinstance(columns, dict):
            fields[field] = {
                name: {**spec, "taxonomy": resolve(spec["taxonomy"])} if isinstance(spec, dict) and "taxonomy" in spec else spec
                for name, spec in columns.items()
            }
    return fields
