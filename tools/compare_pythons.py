"""Make the same releases under several Pythons, hash seeds and thread counts and compare them byte for byte.

``python tools/compare_pythons.py python3.11 ~/.pyenv/versions/3.12*/bin/python`` (names on the path, or full paths) builds a
virtual environment per interpreter (some minutes each) and ends with an error if any digest differs. Not part of CI.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

CHECKOUT = Path(__file__).parent.parent

DIGESTS = """
import hashlib, sys
import duckdb, gensearch_db

connection = duckdb.connect(config={"threads": int(sys.argv[1])})
connection.execute("SET enable_progress_bar = false")  # it goes to standard output where a statement takes seconds
connection.execute('''
CREATE TABLE people AS SELECT (20 + hash(i) % 60)::INT AS age, (hash(i, 1) % 9000)::INT AS income,
  ['Aton', 'Bton', 'Cton', 'Äton'][(1 + hash(i, 2) % 4)::INT] AS town, 'd' || hash(i, 3) % 6 AS illness
FROM range(3000) r(i)''')
for strategy in ("mondrian", "mondrian_steepest", "enumeration", "block_graph"):
    gensearch_db.anonymize(
        connection, table="people", into=strategy, sensitive=["illness"], strategy=strategy, node_limit=500,
        quasi_identifiers={"age": {"split": "every 10"}, "income": {"split": "4 quantiles"}, "town": {"unordered": True}},
        subject_to=["k_anonymity(25)", "t_closeness(0.4, illness, equal)"])
    digest = hashlib.sha256()
    for table in (strategy, strategy + "_blocks"):
        digest.update(str(connection.execute(f"SELECT COLUMNS(*)::VARCHAR FROM {table}").fetchall()).encode())
    print(strategy, digest.hexdigest()[:16])
"""


def digests(python: str, threads: int, seed: str) -> str:
    """What the releases are under this interpreter."""
    ran = subprocess.run(
        [python, "-c", DIGESTS, str(threads)],
        env={"PYTHONHASHSEED": seed, "HOME": str(Path.home())},
        check=True,
        capture_output=True,
        text=True,
    )
    return ran.stdout


def main(interpreters: list[str]) -> None:
    """Build the environments, make the releases, compare."""
    found: dict[str, str] = {}
    with tempfile.TemporaryDirectory() as folder:
        for number, interpreter in enumerate(interpreters):
            environment = Path(folder) / str(number)
            subprocess.run([interpreter, "-m", "venv", str(environment)], check=True)
            python = str(environment / "bin" / "python")
            subprocess.run([python, "-m", "pip", "install", "--quiet", str(CHECKOUT)], check=True)
            for threads, seed in ((1, "0"), (8, "42")):
                name = f"{interpreter}, {threads} threads, hash seed {seed}"
                found[name] = digests(python, threads, seed)
                print(f"{name}\n{found[name]}")
    if len(set(found.values())) != 1:
        sys.exit("the releases differ")
    print("all the same")


if __name__ == "__main__":
    main(sys.argv[1:] or [sys.executable])
