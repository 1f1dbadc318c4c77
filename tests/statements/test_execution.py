"""Carrying out statements: answers checked against plain SQL on the tables and against the API."""

from __future__ import annotations

from typing import Any

import pytest

import gensearch_db
from gensearch_db.errors import DataError, InfeasibleError, QueryError, ReadOnlyError, SpecificationError
from gensearch_db.statements import explain
from gensearch_db.statements.connection import Connection, connect
from tests.statements.conftest import ANONYMIZE


def one(connection: Connection, script: str) -> dict[str, Any]:
    """The only row of the answer, by column."""
    rows = connection.execute(script).fetchall()
    assert len(rows) == 1
    return dict(zip([column[0] for column in connection.description], rows[0], strict=True))


def checks(connection: Connection, script: str) -> dict[str, str]:
    """The verdict of each check of an audit."""
    return {row[0]: row[2] for row in connection.execute(script).fetchall()}


def test_anonymize_writes_what_the_python_call_writes(people: Connection) -> None:
    answer = one(people, ANONYMIZE)
    assert answer["release"].endswith(".r")
    assert answer["status"] == "HEURISTIC"
    assert answer["audit"] == "PASSED"
    release = gensearch_db.anonymize(
        people.engine,
        "people",
        into="by_python",
        identifiers=["id", "name"],
        quasi_identifiers=["age: every 10", "sex"],
        sensitive=["diagnosis"],
        subject_to=["k_anonymity(10)", "distinct_l_diversity(2)"],
        strategy="mondrian",
    )
    assert answer["cost"] == release.cost
    assert answer["blocks"] == people.execute("SELECT count(*) FROM r_blocks").fetchone()[0]
    difference = "SELECT * FROM r EXCEPT ALL SELECT * FROM by_python"
    assert people.execute(difference).fetchall() == []
    smallest = people.execute("SELECT min(n) FROM (SELECT count(*) AS n FROM r GROUP BY age, sex)").fetchall()
    assert smallest[0][0] >= 10


def test_replace_is_asked_for(released: Connection) -> None:
    with pytest.raises(SpecificationError, match="exists already"):
        released.execute(ANONYMIZE)
    assert one(released, ANONYMIZE.replace("INTO r", "INTO r REPLACE"))["audit"] == "PASSED"


def test_the_default_search_proves_its_optimum(people: Connection) -> None:
    greedy = one(people, ANONYMIZE)
    best = one(people, ANONYMIZE.replace("INTO r", "INTO best").replace("USING mondrian", "STOP AFTER INTERVAL 10 MINUTES"))
    assert best["status"] == "OPTIMAL"
    assert best["cost"] == best["lower_bound"] <= greedy["cost"]


def test_a_wrapped_connection_goes_where_duckdbs_goes(released: Connection) -> None:
    assert gensearch_db.audit(released, "r").passed  # type: ignore[arg-type]


def test_audit_answers_one_row_per_check(released: Connection) -> None:
    rows = released.execute("AUDIT r AGAINST people").fetchall()
    report = gensearch_db.audit(released.engine, "r")
    assert [row[0] for row in rows] == [check.name for check in report.checks]
    assert {row[2] for row in rows} <= {"PASSED", "MEASURED"}
    released.execute("DELETE FROM r WHERE age = (SELECT min(age) FROM r)").fetchall()
    assert "FAILED" in {row[2] for row in released.execute("AUDIT r").fetchall()}


def test_audit_of_a_foreign_table(people: Connection) -> None:
    people.execute('CREATE TABLE bought AS SELECT (age // 10)::VARCHAR AS "age band", sex, diagnosis FROM people')
    ((smallest, poorest),) = people.execute(
        "SELECT min(n), min(kinds) FROM (SELECT count(*) AS n, count(DISTINCT coalesce(diagnosis, '')) AS kinds "
        'FROM bought GROUP BY "age band", sex)'
    ).fetchall()
    audit = 'AUDIT bought QUASI IDENTIFIERS ("AGE band", sex) SENSITIVE (diagnosis) SUBJECT TO k_anonymity({}) AND {}'
    held = checks(people, audit.format(smallest, f"distinct_l_diversity({poorest})"))
    assert (held["k_anonymity"], held["distinct_l_diversity"]) == ("PASSED", "PASSED")
    missed = checks(people, audit.format(smallest + 1, f"distinct_l_diversity({poorest + 1})"))
    assert (missed["k_anonymity"], missed["distinct_l_diversity"]) == ("FAILED", "FAILED")
    with pytest.raises(SpecificationError, match="line 1, column 33: there is no column 'sexx' in 'bought'; did you mean"):
        people.execute("AUDIT bought QUASI IDENTIFIERS (sexx)")
    with pytest.raises(SpecificationError, match="name its quasi-identifiers"):
        people.execute("AUDIT bought")


def test_audit_may_require_more_than_the_release_was_made_to_hold(released: Connection) -> None:
    assert checks(released, "AUDIT r")["k_anonymity"] == "PASSED"
    required = released.execute("AUDIT r SUBJECT TO k_anonymity(400)").fetchall()
    assert ("FAILED", "400") in {(row[2], row[4]) for row in required if row[0] == "k_anonymity"}


@pytest.mark.parametrize(
    "loss",
    [
        "ALTER TABLE people RENAME TO gone",
        "ALTER TABLE people DROP COLUMN age",
        "DROP VIEW seen",
        "ALTER TABLE people RENAME name TO n",
    ],
)
@pytest.mark.parametrize("source", ["seen", "(SELECT id, name, age, sex, diagnosis FROM seen)"])
def test_audit_leaves_the_transaction_usable_where_the_source_is_gone(people: Connection, source: str, loss: str) -> None:
    people.execute("CREATE VIEW seen AS SELECT id, name, age, sex, diagnosis FROM people")
    people.execute(ANONYMIZE.replace("TABLE people", source if source.startswith("(") else f"TABLE {source}"))
    assert "rows_balance" in checks(people, "AUDIT r")
    people.execute("BEGIN; CREATE TABLE mine AS SELECT 1 AS a")
    people.execute(loss)
    found = checks(people, "AUDIT r")
    assert (found["k_anonymity"], "rows_balance" in found) == ("PASSED", False)
    people.execute("COMMIT")
    assert people.execute("SELECT a FROM mine").fetchall() == [(1,)]


def test_audit_tells_rows_that_break_the_recorded_query_in_a_transaction(people: Connection) -> None:
    people.execute("CREATE TABLE texts AS SELECT age::VARCHAR AS age, sex FROM people")
    people.execute(
        "ANONYMIZE (SELECT age::INTEGER AS age, sex FROM texts) INTO r QUASI IDENTIFIERS (age, sex) "
        "SUBJECT TO k_anonymity(10) USING mondrian"
    )
    people.execute("INSERT INTO texts VALUES ('old', 'f')")
    assert "rows_balance" not in checks(people, "AUDIT r")
    people.execute("BEGIN")
    with pytest.raises(DataError, match="'old'"):
        people.execute("AUDIT r")
    people.execute("ROLLBACK")


def test_estimate_of_whole_blocks_is_exact(released: Connection) -> None:
    true = released.execute("SELECT count(*) FROM people").fetchall()[0][0]
    answer = one(released, "ESTIMATE SELECT COUNT(*) FROM people USING r")
    assert (answer["estimate"], answer["lower"], answer["upper"]) == (true, true, true)
    grouped = released.execute("ESTIMATE SELECT diagnosis, COUNT(*) FROM people GROUP BY diagnosis USING r").fetchall()
    truth = released.execute("SELECT diagnosis, count(*) FROM people GROUP BY diagnosis").fetchall()
    assert {row[0]: row[2] for row in grouped} == pytest.approx(dict(truth))


def test_an_error_in_a_count_query_points_into_the_script(released: Connection) -> None:
    with pytest.raises(QueryError, match=r"(?s)line 2, column 51: .*did you mean 'age'"):
        released.execute("SHOW RELEASES;\n  ESTIMATE SELECT COUNT(*) FROM people AS p WHERE p.agee > 3 USING r")


def test_nothing_is_written_to_find_out(released: Connection, tmp_path: Any) -> None:
    path = tmp_path / "copy.duckdb"
    released.execute(f"ATTACH '{path}' AS copy; COPY FROM DATABASE memory TO copy; DETACH copy").fetchall()
    with connect(path, read_only=True) as reader:
        assert len(reader.execute("PROFILE people").fetchall()) == 6
        with pytest.raises(ReadOnlyError):  # as ANONYMIZE would
            reader.execute("EXPLAIN ANONYMIZE TABLE people INTO x QUASI IDENTIFIERS (age, sex)")
        assert {row[2] for row in reader.execute("AUDIT r AGAINST people").fetchall()} <= {"PASSED", "MEASURED"}
        assert reader.execute("ESTIMATE SELECT COUNT(*) FROM people USING r").fetchall()[0][1] == 400
        assert len(reader.execute("SHOW RELEASES").fetchall()) == 1


def test_show_and_drop_releases(released: Connection) -> None:
    shown = one(released, "SHOW RELEASES")
    assert (shown["release"], shown["source"], shown["rows_released"]) == ("r", "people", 400)
    assert shown["subject_to"] == "k_anonymity(10) AND distinct_l_diversity(2)"
    assert released.execute("DROP RELEASE r").fetchall() == [("r", True)]
    assert released.execute("SHOW RELEASES").fetchall() == []
    assert released.execute("SHOW TABLES").fetchall() == [("people",)]


def test_names_that_need_quotes_survive_the_whole_way(people: Connection) -> None:
    people.execute('CREATE SCHEMA "my ""schema"""').fetchall()
    people.execute(
        'CREATE TABLE "select; DROP" AS SELECT age AS "a.b; --", sex AS "Straße", sex AS "it\'s", diagnosis AS "from" '
        "FROM people"
    ).fetchall()
    answer = one(
        people,
        'ANONYMIZE TABLE "select; DROP" INTO "my ""schema"""."r ""1""" QUASI IDENTIFIERS ("a.b; --" SPLIT EVERY 20, "straße") '
        'SENSITIVE ("from") KEEP ("it\'s") SUBJECT TO k_anonymity(5) AND distinct_l_diversity(2, "from") USING mondrian',
    )
    assert answer["audit"] == "PASSED"
    assert {row[2] for row in people.execute('AUDIT "my ""schema"""."r ""1"""').fetchall()} <= {"PASSED", "MEASURED"}
    columns = people.execute('SELECT * FROM "my ""schema"""."r ""1""" LIMIT 0')
    assert [column[0] for column in columns.description] == ["a.b; --", "Straße", "from", "it's"]
    columns.fetchall()
    assert people.execute('DROP RELEASE "my ""schema"""."r ""1"""').fetchall()[0][1] is True


def test_a_query_and_a_file_are_sources(people: Connection, tmp_path: Any) -> None:
    answer = one(
        people,
        "ANONYMIZE (SELECT age, sex -- with a comment\nFROM people WHERE age < 40) INTO young "
        "QUASI IDENTIFIERS (age SPLIT EVERY 5) SUBJECT TO k_anonymity(3) USING mondrian",
    )
    assert answer["rows_released"] == people.execute("SELECT count(*) FROM people WHERE age < 40").fetchall()[0][0]
    path = str(tmp_path / "it's people.parquet").replace("'", "''")
    people.execute(f"COPY people TO '{path}'").fetchall()
    answer = one(
        people,
        f"ANONYMIZE TABLE '{path}' INTO filed QUASI IDENTIFIERS (age SPLIT EVERY 5) SUBJECT TO k_anonymity(3) USING mondrian",
    )
    assert answer["rows_released"] == 400


class TestLabels:
    LABEL = """
        COMMENT ON COLUMN people.age IS 'quasi-identifier split every 10; in years';
        COMMENT ON COLUMN people.sex IS 'Quasi-Identifier';
        COMMENT ON COLUMN people.name IS 'identifier';
        COMMENT ON COLUMN people.id IS 'identifier of the row, given by the register';
        COMMENT ON COLUMN people.diagnosis IS 'sensitive';
    """

    def test_comments_supply_the_roles(self, people: Connection) -> None:
        people.execute(self.LABEL).fetchall()
        answer = one(
            people, "ANONYMIZE TABLE people INTO labelled SUBJECT TO k_anonymity(10) AND distinct_l_diversity(2) USING mondrian"
        )
        by_hand = one(people, ANONYMIZE)
        assert answer["cost"] == by_hand["cost"]
        assert people.execute("SELECT * FROM labelled EXCEPT ALL SELECT * FROM r").fetchall() == []

    def test_a_statement_that_names_columns_ignores_comments(self, people: Connection) -> None:
        people.execute(self.LABEL).fetchall()
        one(people, "ANONYMIZE TABLE people INTO only_sex QUASI IDENTIFIERS (sex) SUBJECT TO k_anonymity(10)")
        assert [row[0] for row in people.execute("DESCRIBE only_sex").fetchall()] == ["sex"]

    def test_a_label_that_cannot_be_read_is_refused(self, people: Connection) -> None:
        people.execute("COMMENT ON COLUMN people.age IS 'quasi-identifier splt every 10'").fetchall()
        with pytest.raises(SpecificationError, match=r"(?s)comment of column 'age'.*splt.*did you mean 'SPLIT'"):
            people.execute("ANONYMIZE TABLE people INTO r SUBJECT TO k_anonymity(10)")

    def test_without_labels_the_error_says_what_to_do(self, people: Connection) -> None:
        with pytest.raises(SpecificationError, match="COMMENT ON COLUMN"):
            people.execute("ANONYMIZE TABLE people INTO r SUBJECT TO k_anonymity(10)")
        with pytest.raises(SpecificationError, match="only tables have column comments"):
            people.execute("ANONYMIZE (SELECT * FROM people) INTO r SUBJECT TO k_anonymity(10)")


class TestExplain:
    def explain(self, people: Connection, statement: str) -> list[tuple[str, str | None, str]]:
        return people.execute(f"EXPLAIN {statement}").fetchall()

    def test_sizes_are_those_of_theory(self, people: Connection) -> None:
        """2 splits by 1: 34 hierarchical partitions and 18 boxes (THEORY 3.2)."""
        found = self.explain(people, "ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (age SPLIT AT 30, 50, sex)")
        text = {topic: finding for topic, _, finding in found if topic != "attribute"}
        assert text["partitions"].startswith("34 ")
        assert text["blocks"].startswith("18 ")
        assert text["cells"].startswith("6 ")
        assert text["largest k"].startswith("400 rows")
        cells = [finding for topic, _, finding in found if topic == "sql" and "finest_cells" in finding]
        assert len(cells) == 1

    def test_it_says_what_cannot_be_met_and_writes_nothing(self, people: Connection) -> None:
        before = people.execute("SELECT table_name, temporary FROM duckdb_tables()").fetchall()
        found = self.explain(people, ANONYMIZE.replace("distinct_l_diversity(2)", "distinct_l_diversity(4)"))
        constraints = {subject: finding for topic, subject, finding in found if topic == "constraint"}
        assert "can be met" in constraints["k_anonymity(10)"]
        (unmet,) = (finding for subject, finding in constraints.items() if subject and "distinct" in subject)
        assert "cannot be met" in unmet
        assert "reaches number of distinct values 3" in unmet
        assert people.execute("SELECT table_name, temporary FROM duckdb_tables()").fetchall() == before

    def test_a_huge_space_is_not_counted_for_ever(self, people: Connection) -> None:
        found = self.explain(people, "ANONYMIZE TABLE people INTO r QUASI IDENTIFIERS (id, age, sex SPLIT ANYWHERE, diagnosis)")
        assert any(topic == "partitions" for topic, _, _ in found)


class TestUsingRelease:
    NEWER = """
        CREATE TABLE newer AS
        SELECT 10 + (i * 31) % 80 AS age, ['m', 'f', 'm', 'f', 'x'][1 + i % 5] AS sex,
               CASE WHEN i % 11 = 0 THEN 'flu' ELSE ['flu', 'cold', NULL, 'asthma'][1 + (i // 3) % 4] END AS diagnosis
        FROM range(900) AS t(i)
    """

    def test_new_rows_get_the_old_blocks(self, released: Connection) -> None:
        released.execute(self.NEWER).fetchall()
        answer = one(released, "ANONYMIZE TABLE newer INTO r2 USING RELEASE r")
        in_blocks = released.execute("""
            SELECT b.age_lower, b.age_upper, b.sex_values, count(*) AS n, count(DISTINCT diagnosis) AS diagnoses
            FROM newer JOIN r_blocks b ON list_contains(b.sex_values, newer.sex)
             AND (b.age_lower IS NULL OR newer.age >= b.age_lower) AND (b.age_upper IS NULL OR newer.age < b.age_upper)
            GROUP BY ALL
        """).fetchall()
        kept = [row for row in in_blocks if row[3] >= 10 and row[4] >= 2]
        published = released.execute("SELECT age_lower, age_upper, sex_values, count FROM r2_blocks").fetchall()
        assert sorted(map(str, published)) == sorted(str(row[:4]) for row in kept)
        assert answer["blocks"] == len(kept)
        assert answer["rows_released"] == sum(row[3] for row in kept)
        assert answer["rows_outside"] == 900 - sum(row[3] for row in in_blocks) > 0
        assert answer["rows_in_refused_blocks"] == sum(row[3] for row in in_blocks) - answer["rows_released"]
        assert released.execute("SELECT count(*) FROM r2").fetchall() == [(answer["rows_released"],)]
        assert {row[2] for row in released.execute("AUDIT r2").fetchall()} <= {"PASSED", "MEASURED"}

    def test_blocks_below_the_constraints_are_held_back(self, released: Connection) -> None:
        """One block gets 9 rows (k is 10), one gets 30 rows of a single diagnosis (l is 2), one gets 30 good rows."""
        blocks = released.execute("SELECT coalesce(age_lower, age_upper - 1), sex_values[1] FROM r_blocks").fetchall()
        (age_1, sex_1), (age_2, sex_2), (age_3, sex_3) = blocks[:3]
        released.execute(f"""
            CREATE TABLE few AS
            SELECT {age_1} AS age, '{sex_1}' AS sex, ['flu', 'cold'][1 + i % 2] AS diagnosis FROM range(9) AS t(i)
            UNION ALL SELECT {age_2}, '{sex_2}', 'flu' FROM range(30)
            UNION ALL SELECT {age_3}, '{sex_3}', ['flu', 'cold'][1 + i % 2] FROM range(30) AS t(i)
        """).fetchall()
        answer = one(released, "ANONYMIZE TABLE few INTO r3 USING RELEASE r")
        assert (answer["blocks"], answer["rows_released"], answer["rows_in_refused_blocks"]) == (1, 30, 39)
        assert released.execute("SELECT count FROM r3_blocks").fetchall() == [(30,)]

    def test_too_few_rows_are_refused_and_nothing_is_written(self, released: Connection) -> None:
        released.execute("CREATE TABLE few AS SELECT * FROM people LIMIT 5").fetchall()
        with pytest.raises(InfeasibleError, match="no block of 'r'"):
            released.execute("ANONYMIZE TABLE few INTO r3 USING RELEASE r")
        assert len(released.execute("SHOW RELEASES").fetchall()) == 1
        assert ("r3",) not in released.execute("SHOW TABLES").fetchall()

    def test_missing_values_and_points(self, people: Connection) -> None:
        people.execute("CREATE TABLE gaps AS SELECT nullif(i % 4 / 2.0::DOUBLE, 0) AS x FROM range(200) AS t(i)").fetchall()
        one(
            people,
            "ANONYMIZE TABLE gaps INTO g QUASI IDENTIFIERS (x SPLIT AT 0.75, 1.25) SUBJECT TO k_anonymity(20) USING mondrian",
        )
        people.execute("CREATE TABLE new_gaps AS SELECT * FROM gaps UNION ALL SELECT 99 FROM range(7)").fetchall()
        answer = one(people, "ANONYMIZE TABLE new_gaps INTO g2 USING RELEASE g")
        assert answer["rows_released"] == 207
        assert people.execute("SELECT count(*) FROM g2 WHERE x IS NULL").fetchall() == [(50,)]


def test_spaces_beyond_all_floats_are_explained(people: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    """Found 2026-11-28: more blocks than the largest float overflowed. 200 values in order have 20,100 intervals."""
    monkeypatch.setattr(explain, "COUNTED_TERMS", 10)
    columns = [f"c{number}" for number in range(80)]
    people.execute(f"CREATE TABLE wide AS SELECT {', '.join(f'i AS {name}' for name in columns)} FROM range(200) r(i)")
    findings = people.execute(
        f"EXPLAIN ANONYMIZE TABLE wide INTO x QUASI IDENTIFIERS ({', '.join(columns)}) SUBJECT TO k_anonymity(10)"
    ).fetchall()
    told = {topic: text for topic, _, text in findings}
    assert str(20100**80)[:6] == "180170"
    assert told["blocks"] == "about 1.80170 * 10^344 possible blocks (the size of the block graph)"
    assert "remembered blocks at most inf MB" in told["memory"]
