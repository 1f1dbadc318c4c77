"""The demo: an embedded database of 50,000 made-up people, and the problem that ``gensearch demo`` solves on it."""

from __future__ import annotations

from pathlib import Path

from gensearch_db.database.opening import session_for
from gensearch_db.database.rendering import statement
from gensearch_db.errors import SpecificationError
from gensearch_db.problem.problem import Problem

DEMO_PROBLEM = Problem.from_fields(
    {
        "table": "census",
        "into": "census_release",
        "identifiers": ["person_id", "name"],
        "quasi_identifiers": {
            "age": {"split": "every 10"},
            "sex": {},
            "education": {"taxonomy": "education_levels"},
            "occupation": {"taxonomy": "occupation_groups"},
            "country": {"taxonomy": "country_regions"},
        },
        "sensitive": ["diagnosis"],
        "subject_to": ["k_anonymity(10)", "distinct_l_diversity(2)"],
        "stop_after": 20,
    }
)
"""Five quasi-identifiers, one sensitive column; every person stands among at least ten, with at least two diagnoses.

The optimum is proven in seconds. The postcode is left out of the release: with it the same search ends at its time limit.
"""


def create_demo_database(path: str | Path) -> None:
    """Make the database file with the table ``census`` and its taxonomies.

    Raises :class:`SpecificationError` if it exists, or its folder does not.
    """
    if Path(path).exists():
        raise SpecificationError(f"'{path}' exists already: the demo makes a new file")
    with session_for(path, create=True) as session:
        session.execute(statement("demo_census"))
