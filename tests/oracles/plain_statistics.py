"""Statistics and feasibility of one block, in plain Python over the cells: shared by the oracles, not by any search."""

from __future__ import annotations

from gensearch_db.domain.attribute import OrderedAttribute, Space
from gensearch_db.domain.cells import BlockStatistics, Distribution
from gensearch_db.domain.region import Block, LeafSet
from gensearch_db.search.result import SearchProblem


def cells_in(problem: SearchProblem, block: Block) -> list[int]:
    """The numbers of the cells inside the block."""
    return [
        number
        for number, codes in enumerate(problem.cells.codes.tolist())
        if all(region.contains(code) for region, code in zip(block, codes, strict=True))
    ]


def histogram(distribution: Distribution, cells: list[int]) -> tuple[int, ...]:
    """How often each value occurs in the cells; each (person, value) pair once where pairs are given."""
    counts = [0] * len(distribution.domain.values)
    seen: set[int] = set()
    for cell in cells:
        for place in range(int(distribution.starts[cell]), int(distribution.starts[cell + 1])):
            if distribution.pairs is not None:
                pair = int(distribution.pairs[place])
                if pair in seen:
                    continue
                seen.add(pair)
            counts[int(distribution.codes[place])] += int(distribution.counts[place])
    return tuple(counts)


def statistics_of(problem: SearchProblem, cells: list[int]) -> BlockStatistics:
    """The statistics of a set of cells."""
    rows = sum(int(problem.cells.counts[cell]) for cell in cells)
    size = rows
    if problem.cells.persons is not None:
        lists = problem.cells.persons
        size = len({int(p) for cell in cells for p in lists.persons[lists.starts[cell] : lists.starts[cell + 1]]})
    return BlockStatistics(
        size,
        rows,
        {d.domain.name: histogram(d, cells) for d in problem.cells.sensitive},
        {d.domain.name: histogram(d, cells) for d in problem.cells.classes},
        cell_squares=sum(int(problem.cells.counts[cell]) ** 2 for cell in cells),
        marginals=tuple(
            tuple(
                sum(int(problem.cells.counts[cell]) for cell in cells if problem.cells.codes[cell, position] == code)
                for code in range(attribute.leaf_count)
            )
            for position, attribute in enumerate(problem.space.attributes)
        ),
    )


def published(problem: SearchProblem, block: Block, cells: list[int]) -> Block:
    """What the block's labels stand for: with labels = values, the categories that occur in it; numbers keep their interval."""
    if not problem.values_labels:
        return block
    return tuple(
        region
        if isinstance(attribute, OrderedAttribute) and not attribute.categorical
        else LeafSet(sum(1 << code for code in {int(problem.cells.codes[cell, position]) for cell in cells}))
        for position, (attribute, region) in enumerate(zip(problem.space.attributes, block, strict=True))
    )


def long_enough(space: Space, block: Block) -> bool:
    """Whether every edge reaches its attribute's minimum length."""
    return all(
        attribute.length(region) >= attribute.minimum_length * (1 - 1e-9)
        for attribute, region in zip(space.attributes, block, strict=True)
    )


def may_be_published(problem: SearchProblem, block: Block, cells: list[int], statistics: BlockStatistics) -> bool:
    """Whether a non-empty block satisfies every constraint and every minimum length."""
    shown = published(problem, block, cells)
    return long_enough(problem.space, block) and all(
        constraint.holds(statistics, shown, problem.table) for constraint in problem.constraints
    )
