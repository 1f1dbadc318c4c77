"""What the package brings along and whom it talks to: dependencies bounded and locked, no network, wheels built again alike."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import duckdb
import pytest

import gensearch_db

CHECKOUT = Path(__file__).parent.parent


def declared() -> list[str]:
    """Every dependency as written, those of extras included."""
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return [*project["dependencies"], *(line for lines in project["optional-dependencies"].values() for line in lines)]


def locked() -> dict[str, str]:
    """The versions in the lock file, by normalised name."""
    text = (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")
    pins = [line.split("==") for line in text.splitlines() if line and not line.startswith("#")]
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in pins}


def test_dependencies_of_the_package_are_bounded_on_both_sides() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert [line for line in project["dependencies"] if ">=" not in line or ",<" not in line] == []


def test_the_lock_file_holds_every_dependency_within_its_bounds_and_no_address() -> None:
    from packaging.requirements import Requirement

    extras = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    not_locked = {*extras.get("report", ()), *extras.get("benchmarks", ()), *extras.get("spark", ())}
    pins = locked()
    for line in declared():
        requirement = Requirement(line)
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if line in not_locked and name not in pins:
            continue
        assert requirement.specifier.contains(pins[name]), f"{line}, but {pins[name]} is locked"
    assert "://" not in (CHECKOUT / "requirements.lock").read_text(encoding="utf-8")


def test_a_run_opens_no_connection(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Python's sockets refuse; DuckDB may not load the extensions that reach the network."""

    def refuse(*arguments: Any, **named: Any) -> None:
        raise AssertionError("a connection was opened")

    for name in ("connect", "connect_ex", "bind", "sendto"):
        monkeypatch.setattr(socket.socket, name, refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    with pytest.raises(AssertionError, match="connection"):
        socket.create_connection(("localhost", 1))
    with duckdb.connect(tmp_path / "people.duckdb") as connection:
        connection.execute("SET autoinstall_known_extensions = false; SET autoload_known_extensions = false")
        connection.execute("CREATE TABLE people AS SELECT i AS age, 'd' || i % 3 AS illness FROM range(50) r(i)")
        gensearch_db.anonymize(
            connection,
            table="people",
            into="rel",
            quasi_identifiers={"age": {"split": "every 10"}},
            sensitive=["illness"],
            subject_to=["k_anonymity(5)", "t_closeness(0.5, illness)"],
            strategy="enumeration",
        )
        assert gensearch_db.audit(connection, "rel").passed
        assert (
            gensearch_db.estimate(connection, "rel", "SELECT COUNT(*) FROM people WHERE age < 10").estimates[0].estimate == 10
        )
        loaded = connection.execute("SELECT extension_name FROM duckdb_extensions() WHERE loaded").fetchall()
    assert not {name for (name,) in loaded} & {"httpfs", "aws", "azure", "motherduck", "postgres_scanner", "mysql_scanner"}


def test_no_module_of_ours_imports_a_network_library() -> None:
    network = re.compile(
        r"^\s*(?:import|from) (?:socket|ssl|http|urllib\.request|requests|httpx|aiohttp|ftplib|smtplib)\b", re.MULTILINE
    )
    offenders = [path.name for path in (CHECKOUT / "gensearch_db").rglob("*.py") if network.search(path.read_text())]
    assert offenders == []


@pytest.mark.slow
def test_a_wheel_built_twice_is_the_same_file(tmp_path: Path) -> None:
    """With the backend that is installed; hatchling sets times and order by SOURCE_DATE_EPOCH."""
    pytest.importorskip("hatchling", reason="the build backend is not installed: pip install hatchling")
    environment = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000"}
    wheels = []
    for name in ("first", "second"):
        folder = tmp_path / name
        build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
        subprocess.run(build, cwd=CHECKOUT, env=environment, check=True, capture_output=True)
        (wheel,) = folder.glob("*.whl")
        wheels.append(wheel.read_bytes())
    assert wheels[0] == wheels[1]
    assert any(name.endswith("/licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())
