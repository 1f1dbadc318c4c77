"""The name that a release tells can be pasted into SQL and given to every function, whatever it holds."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pytest

import gensearch_db
from gensearch_db.cli.main import main

ODD = ["my rel", "a.b", 'say "x"', "it's", "Ünï ćode 表", "select", "Table", "7up", " ", "a;b--c", "x\ny", "end"]


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def filled(connection: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
    connection.execute("CREATE TABLE people AS SELECT i % 4 AS age, i % 2 AS sex FROM range(24) t(i)")
    return connection


@pytest.mark.parametrize("name", ["rel", "REL_2", *ODD])
def test_a_release_can_be_used_by_its_name(name: str) -> None:
    with gensearch_db.connect() as connection:
        filled(connection.engine)
        connection.execute("CREATE TABLE rows AS SELECT * FROM people")
        release = gensearch_db.anonymize(connection.engine, "people", into=quoted(name), quasi_identifiers=["age"], k=2)
        assert release.name == release.audit.release == release.to_dict()["release"]
        assert connection.execute(f"SELECT count(*) FROM {release.name}").fetchall() == [(24,)]
        table = connection.execute("SELECT table_name FROM duckdb_tables() WHERE table_name NOT LIKE '%blocks'").fetchall()
        assert (name,) in table
        assert gensearch_db.audit(connection.engine, release.name).release == release.name
        assert gensearch_db.estimate(connection.engine, release.name, "SELECT count(*) FROM t").estimates[0].estimate == 24
        assert connection.execute(f"AUDIT {release.name}").fetchall()
        (other, *_), *_ = connection.execute(f'ANONYMIZE TABLE rows INTO "o 2" USING RELEASE {release.name}').fetchall()
        assert other == 'memory.main."o 2"'
        (shown,) = (each for each in gensearch_db.list_releases(connection.engine) if each.release == name)
        assert connection.execute(f"FROM {shown.to_text().partition(': from people, ')[0]}").fetchall()
        for each in (other, release.name):
            gensearch_db.drop_release(connection.engine, each)
        assert not gensearch_db.list_releases(connection.engine)


def test_a_plain_name_is_told_plainly() -> None:
    with filled(duckdb.connect()) as connection:
        release = gensearch_db.anonymize(connection, "people", into='"Rel"', quasi_identifiers=["age"], k=2)
        assert release.name == "memory.main.Rel"
        assert release.to_text().startswith("Release memory.main.Rel: ")


def test_a_database_file_with_an_odd_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "people-2024 v1.duckdb"
    filled(duckdb.connect(str(file))).close()
    flags = ["--table", "people", "--into", "rel", "--quasi-identifier", "age", "--k", "2", "--json"]
    main(["anonymize", str(file), *flags])
    name = json.loads(capsys.readouterr().out)["release"]
    assert name == '"people-2024 v1".main.rel'
    main(["audit", str(file), name, "--json"])
    assert json.loads(capsys.readouterr().out)["passed"]
    with duckdb.connect(str(file)) as connection:
        assert connection.execute(f"SELECT count(*) FROM {name}").fetchall() == [(24,)]
