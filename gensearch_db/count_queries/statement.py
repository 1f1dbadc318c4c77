"""The estimate as SQL: one statement over ``<release>_blocks`` for any number of counts, for any DuckDB client.

Model: within a block the tuples lie independently and uniformly over the block's region; a sensitive column is independent
of the place within the block, and several sensitive columns are independent of each other. Hard bounds assume none of this:
a block counts fully from below only where every value of its region satisfies the query, and from above wherever some value
can; sensitive counts enter exactly, and several sensitive columns by Fréchet's inequalities.
"""

from __future__ import annotations

from collections.abc import Sequence

from gensearch_db.count_queries.diagram import Branch, Node, Region
from gensearch_db.count_queries.expressions import known, position_of, upper_of
from gensearch_db.count_queries.release import Kind, PublishedColumn, Release
from gensearch_db.count_queries.shares import Shares
from gensearch_db.database.rendering import Sql, identifier, qualified, statement


def estimate_statement(release: Release, nodes: Sequence[Node]) -> Sql:
    """The statement that estimates one count per diagram; its rows are number, estimate, deviation, lower, upper, blocks."""
    writer = _Writer()
    counts = []
    for number, node in enumerate(nodes):
        fields = {
            "expected": writer.expected(node),
            "variance": writer.variance(node),
            "least": writer.least(node),
            "most": writer.most(node),
            "touched": writer.touched(node),
        }
        counts.append({"number": number, "comma": Sql("," if number < len(nodes) - 1 else ""), **fields})
    columns = [_column(shares) for _, shares in sorted(writer.shares.items())]
    return statement(
        "estimate/estimate", blocks=qualified(release.blocks), count=release.dictionary.count, columns=columns, counts=counts
    )


def _column(shares: Shares) -> dict[str, object]:
    column = shares.column
    fields: dict[str, object] = {
        "kind": column.kind.value,
        "number": column.number,
        "cover": f"cover of {column.name}",
        "ends": f"ends of {column.name}",
        "shares": shares.expressions(),
    }
    if column.kind is Kind.ORDERED:
        missing = Sql("'no'") if column.missing_name is None else identifier(column.missing_name)
        return fields | {
            "lower": position_of(column.family, identifier(column.lower_name)),
            "upper": upper_of(column.family, identifier(column.lower_name), identifier(column.upper_name)),
            "missing": missing,
        }
    member = Sql('member."value"') if column.kind is Kind.SENSITIVE else Sql("member")
    return fields | {"list": identifier(column.list_name), "value": known(column.family, member)}


_ZERO = Sql("CAST(0 AS DOUBLE)")


class _Writer:
    """Writes the expressions of diagrams; what they need of each column is collected in ``shares``.

    Sensitive columns stand above all others in a diagram.
    """

    def __init__(self) -> None:
        self.shares: dict[int, Shares] = {}

    def of(self, column: PublishedColumn) -> Shares:
        return self.shares.setdefault(column.number, Shares(column))

    def expected(self, node: Node) -> Sql:
        """The expected number of tuples of a block that satisfy the condition."""
        if isinstance(node, bool):
            return Sql("CAST(tuples AS DOUBLE)" if node else _ZERO)
        if node.column.kind is not Kind.SENSITIVE:
            return Sql(f"tuples * {self.part(node)}")
        shares = self.of(node.column)
        summands = [f"{shares.count(region)} * {self.part(child)}" for region, child in node.classes if child is not False]
        return Sql(" + ".join(summands) or _ZERO)

    def part(self, node: Node) -> Sql:
        """The share of a block's tuples that is expected to satisfy the condition."""
        if isinstance(node, bool):
            return Sql("CAST(1 AS DOUBLE)" if node else _ZERO)
        shares = self.of(node.column)
        summands: list[str] = []
        for region, child in node.classes:
            if child is False:
                continue
            share = self.fraction(shares, region)
            summands.append(share if child is True else f"{share} * {self.part(child)}")
        return Sql(summands[0] if len(summands) == 1 else "(" + (" + ".join(summands) or _ZERO) + ")")

    def fraction(self, shares: Shares, region: Region) -> str:
        if shares.column.kind is Kind.SENSITIVE:
            return f"({shares.count(region)} / tuples)"
        return shares.share(region)

    def variance(self, node: Node) -> Sql:
        """The variance of the number of satisfying tuples of a block.

        Tuples fall independently. The counts of one sensitive column are known, so only the places of the tuples of each
        class are random; of several sensitive columns the joint counts are not known, and the plain binomial bounds them.
        """
        if isinstance(node, bool):
            return _ZERO
        if node.column.kind is not Kind.SENSITIVE or any(_is_sensitive(child) for _, child in node.classes):
            part = self.part(node)
            return Sql(f"tuples * {part} * (1 - {part})")
        shares = self.of(node.column)
        summands = [
            f"{shares.count(region)} * {self.part(child)} * (1 - {self.part(child)})"
            for region, child in node.classes
            if not isinstance(child, bool)
        ]
        return Sql(" + ".join(summands) or _ZERO)

    def most(self, node: Node) -> Sql:
        """At most so many tuples of a block can satisfy the condition."""
        bound = self._at_most(node, satisfied=True)
        return Sql(f"least(tuples, {bound})") if _is_sensitive(node) else bound

    def touched(self, node: Node) -> Sql:
        """Whether some tuple of a block can satisfy the condition."""
        return Sql(f"{self.most(node)} > 0") if _is_sensitive(node) else self.possible(node)

    def least(self, node: Node) -> Sql:
        """At least so many tuples of a block satisfy the condition."""
        if not _is_sensitive(node):
            return Sql(f"CASE WHEN {self.certain(node)} THEN tuples ELSE 0 END")
        return Sql(f"tuples - least(tuples, {self._at_most(node, satisfied=False)})")

    def _at_most(self, node: Node, *, satisfied: bool) -> Sql:
        """At most so many tuples of a block can satisfy the condition, or else fail it."""
        if isinstance(node, bool):
            return Sql("tuples" if node is satisfied else "0")
        if node.column.kind is not Kind.SENSITIVE:
            test = self.possible(node) if satisfied else self.certain(node)
            return Sql(f"CASE WHEN {test} THEN tuples ELSE 0 END" if satisfied else f"CASE WHEN {test} THEN 0 ELSE tuples END")
        shares = self.of(node.column)
        summands = []
        for region, child in node.classes:
            inner = self._at_most(child, satisfied=satisfied)
            if inner != "0":
                count = shares.count(region)
                summands.append(count if inner == "tuples" else f"least({count}, {inner})")
        return Sql(" + ".join(summands) or "0")

    def possible(self, node: Node) -> Sql:
        """Whether some value of the block's region satisfies the condition."""
        if isinstance(node, bool):
            return Sql("TRUE" if node else "FALSE")
        shares = self.of(node.column)
        cases = []
        for region, child in node.classes:
            if child is not False:
                here = shares.possible(region)
                cases.append(f"({here})" if child is True else f"({here} AND {self.possible(child)})")
        return Sql("(" + (" OR ".join(cases) or "FALSE") + ")")

    def certain(self, node: Node) -> Sql:
        """Whether every value of the block's region satisfies the condition."""
        if isinstance(node, bool):
            return Sql("TRUE" if node else "FALSE")
        shares = self.of(node.column)
        cases = []
        for region, child in node.classes:
            if child is True:
                continue
            others = [other for other, _ in node.classes if other is not region]
            absent = shares.impossible(region, others)
            cases.append(f"({absent})" if child is False else f"({absent} OR {self.certain(child)})")
        return Sql("(" + (" AND ".join(cases) or "TRUE") + ")")


def _is_sensitive(node: Node) -> bool:
    return isinstance(node, Branch) and node.column.kind is Kind.SENSITIVE
