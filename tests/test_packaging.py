"""What is installed is what is needed: declared dependencies, and a wheel that carries the statements and workloads."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent
MODULE_OF = {"ipython": "IPython", "vl-convert-python": "vl_convert"}
"""Distributions whose module has another name."""
BROUGHT_ALONG = {"pygments"}
"""A library that a declared one (rich) depends on and that is used together with it."""


def imported() -> set[str]:
    """The top-level names of all libraries that the package imports anywhere, lazily too."""
    names: set[str] = set()
    for path in (CHECKOUT / "gensearch_db").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"gensearch_db"}


def test_every_library_that_is_imported_is_declared() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = [line for name, lines in project["optional-dependencies"].items() if name != "test" for line in lines]
    distributions = [re.split(r"[<>=\[ ]", line)[0] for line in (*project["dependencies"], *extras)]
    declared = {MODULE_OF.get(name, name.replace("-", "_")) for name in distributions}
    assert imported() - declared - BROUGHT_ALONG == set()
