"""Random tables and constraints for the tests of this room."""

from __future__ import annotations

import random
from collections.abc import Sequence

from gensearch_db.domain.attribute import Space
from gensearch_db.domain.cells import BlockStatistics, Table, ValueDomain
from gensearch_db.domain.taxonomy import Taxonomy
from gensearch_db.privacy.constraint import Constraint
from gensearch_db.privacy.registry import constraint_from_text

HIERARCHY = Taxonomy.from_nested("*", [("x", [("a", []), ("b", [])]), ("y", [("c", []), ("zz", [("d", []), ("e", [])])])])


def statistics(histogram: Sequence[int]) -> BlockStatistics:
    """Rows as the unit of protection, one sensitive column ``s``."""
    return BlockStatistics(sum(histogram), sum(histogram), {"s": tuple(histogram)}, {})


def table_of(histogram: Sequence[int], missing: int | None = None, taxonomy: Taxonomy | None = None) -> Table:
    """A table without quasi-identifiers: constraints on distributions look at nothing else."""
    values = tuple(leaf.label for leaf in taxonomy.leaves) if taxonomy else tuple(range(len(histogram)))
    values = values + (None,) * (len(histogram) - len(values))
    return Table(Space(()), statistics(histogram), {"s": ValueDomain("s", values, missing, taxonomy)}, {})


def random_table(chance: random.Random) -> Table:
    """Two to six values, sometimes a missing one, sometimes a hierarchy."""
    values = chance.choice([2, 2, 3, 4, 5, 6])
    taxonomy = HIERARCHY if values >= 5 else None
    missing = values - 1 if values == 6 or (values < 5 and chance.random() < 0.3) else None
    return table_of([chance.choice([1, 2, 3, chance.randint(1, 30)]) for _ in range(values)], missing, taxonomy)


def random_constraints(chance: random.Random, table: Table) -> list[Constraint]:
    """One of every kind that looks at the distribution, with numbers that often give ties."""
    texts = [
        f"k_anonymity({chance.randint(1, 6)})",
        f"distinct_l_diversity({chance.randint(1, 3)})",
        f"entropy_l_diversity({chance.choice(['1', '1.2', '1.5', '2', '3'])})",
        f"recursive_l_diversity({chance.choice(['0.5', '1', '2', '3'])}, {chance.randint(1, 3)})",
        f"alpha_k_anonymity({chance.choice(['0.4', '0.5', '0.75'])}, {chance.randint(1, 3)})",
        f"t_closeness({chance.choice(['0.1', '0.2', '0.25', '0.5'])}, distance = ordered)",
        f"t_closeness({chance.choice(['0.1', '0.2', '0.25', '0.5'])}, distance = equal)",
        f"epsilon_privacy({chance.choice(['2.5', '3', '10'])}, {chance.choice(['1', '2.5', '8'])}, {chance.randint(0, 2)})",
        f"basic_beta_likeness({chance.choice(['0.1', '0.5', '1'])})",
        f"enhanced_beta_likeness({chance.choice(['0.5', '1', '3'])})",
        f"delta_disclosure({chance.choice(['0.5', '1', '2'])})",
        f"delta_disclosure({chance.choice(['0.5', '1', '2'])}, zeros = ignored)",
    ]
    if table.sensitive["s"].taxonomy:
        texts.append(f"t_closeness({chance.choice(['0.1', '0.2', '0.25', '0.5'])}, distance = hierarchical)")
    return [constraint_from_text(text, ["s"]) for text in texts]


def random_part(chance: random.Random, histogram: Sequence[int]) -> tuple[int, ...]:
    """A non-empty part of a histogram."""
    while True:
        part = tuple(chance.choice([0, count, chance.randint(0, count)]) for count in histogram)
        if sum(part):
            return part
