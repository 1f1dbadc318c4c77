"""Print the licence of each library that the package needs, as its own metadata says: ``python tools/licences.py``."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, distribution

from packaging.requirements import Requirement


def needed(root: str = "gensearch-db") -> list[str]:
    """The distributions that ``root`` needs to run (no extras), however far, sorted."""
    found: set[str] = set()
    pending = [root]
    while pending:
        name = re.sub(r"[-_.]+", "-", pending.pop()).lower()
        if name in found:
            continue
        try:
            lines = distribution(name).requires or []
        except PackageNotFoundError:
            continue  # not needed on this platform
        found.add(name)
        requirements = [Requirement(line) for line in lines]
        pending += [each.name for each in requirements if each.marker is None or each.marker.evaluate({"extra": ""})]
    return sorted(found - {root})


def licence(name: str) -> str:
    """The licence that a distribution declares: its expression, its classifiers, or the first line of its text."""
    metadata = distribution(name).metadata
    classifiers = [line.split(" :: ")[-1] for line in metadata.get_all("Classifier") or [] if line.startswith("License")]
    text = (metadata.get("License") or "").strip().splitlines()
    return metadata.get("License-Expression") or ", ".join(classifiers) or (text[0] if text else "not declared")


if __name__ == "__main__":
    for library in needed():
        print(f"| {library} | {distribution(library).version} | {licence(library)} |")
