"""Compiled: the cheapest box around each cell that holds enough rows, for costs of rows times a measure of regions.

A feasible block that holds a cell has at least the rows that the cell needs, and its regions hold the values of all of them. So
whatever the block, each of the cell's rows pays at least the least measure of any box around the cell with so many rows: a
price (THEORY 2.3 F, 2.5). The box is found by depth-first search over regions, attribute by attribute, smaller ones first; a
row is dropped where any box around it would measure too much.

A box grows in steps. An interval has two, how far it reaches below and above the cell's value; a taxonomy node one, how far up
it lies. Of a set only its size counts: 0 is the cell's value alone, 1 any set of more, which takes as many values as its most
frequent ones need to have enough rows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.nearest_rows import ABOVE, BELOW, SIZE, UP, Measures, Near, box_of_nearest, nearest


@compiled
def cheapest_boxes(
    measures: Measures,
    near: Near,
    codes: NDArray[np.int64],
    rows: NDArray[np.int64],
    needed: NDArray[np.int64],
    first: int,
    last: int,
    most_looks: int,
    least: NDArray[np.float64],
) -> None:
    """The least measure of a box around each cell ``first <= cell < last``. Where a cell takes more than ``most_looks`` looks
    at others, what the nearest rows measure with it one by one, which is never more."""
    for cell in range(first, last):
        enough, reach = nearest(measures, near, codes, rows, needed[cell], cell)
        if rows[cell] >= needed[cell]:
            least[cell] = near.distance[cell]
            continue
        # a box around the nearest rows is one that has enough of them: nothing above its measure needs a look
        most = box_of_nearest(measures, near, codes, cell, reach)
        least[cell] = smallest_box(measures, near, codes, rows, needed[cell], cell, most, most_looks, enough)


@compiled
def step_measure(measures: Measures, near: Near, own: int, t: int, option: int) -> float:
    """What the attribute of step t measures at least, given the option chosen and, of an interval, how far it reaches below."""
    j = measures.attributes[t]
    base, width = measures.starts[j], measures.widths[j]
    kind = measures.steps[t]
    if kind == BELOW:
        return float(measures.pairs[base + (own - option) * width + own])
    if kind == ABOVE:
        return float(measures.pairs[base + (own - near.choice[t - 1]) * width + own + option])
    if kind == SIZE:
        return float(measures.pairs[base + own * width + own] if option == 0 else measures.sets[measures.set_starts[j] + 2])
    for other in range(width):
        if measures.ranks[base + own * width + other] == option:
            return float(measures.pairs[base + own * width + other])
    return np.inf


@compiled
def gather_near(measures: Measures, near: Near, codes: NDArray[np.int64], cell: int, most: float) -> int:
    """List the cells that some box of a measure below ``most`` may hold, with their ranks. Returns their number."""
    count = 0
    steps = len(measures.steps)
    for other in range(len(near.distance)):
        if near.distance[other] >= most:
            continue
        near.cells[count] = other
        rest = 0.0
        for t in range(steps - 1, -1, -1):
            j = measures.attributes[t]
            own, code = codes[cell, j], codes[other, j]
            place = measures.starts[j] + own * measures.widths[j] + code
            kind = measures.steps[t]
            near.rest[t, count] = rest
            if kind == BELOW:
                near.rank[t, count] = max(0, own - code)
            elif kind == ABOVE:
                near.rank[t, count] = max(0, code - own)
            elif kind == UP:
                near.rank[t, count] = measures.ranks[place]
            else:
                near.rank[t, count] = 0 if own == code else 1
            if kind != ABOVE:
                rest += measures.pairs[place]
        near.lists[0, count] = count
        count += 1
    near.lengths[0] = count
    return count


@compiled
def smallest_box(
    measures: Measures,
    near: Near,
    codes: NDArray[np.int64],
    rows: NDArray[np.int64],
    needed: int,
    cell: int,
    most: float,
    most_looks: int,
    fallback: float,
) -> float:
    """The least measure of a box around the cell with the needed rows, if it is below ``most``, else ``most``."""
    steps = len(measures.steps)
    best = most
    looks = 0
    gather_near(measures, near, codes, cell, best)
    t = 0
    near.choice[0] = -1
    near.before[0] = 0.0
    while t >= 0:
        if t == steps:
            best = min(best, sized(measures, near, codes, rows, needed, cell))
            t -= 1
            continue
        looks += near.lengths[t]
        if looks > most_looks:
            return fallback
        option = next_option(near, t)
        own = codes[cell, measures.attributes[t]]
        own_measure = step_measure(measures, near, own, t, option) if option >= 0 else np.inf
        if option < 0 or near.before[t] + own_measure >= best:
            t -= 1
            continue
        near.choice[t] = option
        if filtered(measures, near, codes, rows, t, own, own_measure, best) >= needed:
            ends = measures.steps[t] != BELOW
            near.before[t + 1] = near.before[t] + (own_measure if ends else 0.0)
            t += 1
            near.choice[t] = -1
    return best


@compiled
def next_option(near: Near, t: int) -> int:
    """The least option of step t beyond the one chosen that takes in more cells; 0 first; -1 where there is none."""
    if near.choice[t] < 0:
        return 0
    found = -1
    for position in range(near.lengths[t]):
        rank = near.rank[t, near.lists[t, position]]
        if rank > near.choice[t] and (found < 0 or rank < found):
            found = int(rank)
    return found


@compiled
def filtered(
    measures: Measures,
    near: Near,
    codes: NDArray[np.int64],
    rows: NDArray[np.int64],
    t: int,
    own: int,
    own_measure: float,
    best: float,
) -> int:
    """List the cells that the option chosen at step t takes in and that a box below ``best`` may hold. Returns their rows."""
    j = measures.attributes[t]
    base, width = measures.starts[j], measures.widths[j]
    count, total = 0, 0
    for position in range(near.lengths[t]):
        i = near.lists[t, position]
        if near.rank[t, i] > near.choice[t]:
            continue
        least = own_measure
        if measures.steps[t] == BELOW:
            least = measures.pairs[base + (own - near.choice[t]) * width + max(own, codes[near.cells[i], j])]
        if near.before[t] + least + near.rest[t, i] >= best:
            continue
        near.lists[t + 1, count] = i
        count += 1
        total += rows[near.cells[i]]
    near.lengths[t + 1] = count
    return total


@compiled
def sized(measures: Measures, near: Near, codes: NDArray[np.int64], rows: NDArray[np.int64], needed: int, cell: int) -> float:
    """The measure of the box chosen, its sets as large as their most frequent values must be to have the needed rows."""
    steps = len(measures.steps)
    total = float(near.before[steps])
    for t in range(steps):
        if measures.steps[t] != SIZE or near.choice[t] == 0:
            continue
        j = measures.attributes[t]
        counts = np.zeros(measures.widths[j], np.int64)
        for position in range(near.lengths[steps]):
            other = near.cells[near.lists[steps, position]]
            counts[codes[other, j]] += rows[other]
        missing = needed - counts[codes[cell, j]]
        counts[codes[cell, j]] = 0
        counts.sort()
        size = 1
        while missing > 0 or size == 1:
            missing -= counts[len(counts) - size]
            size += 1
        total += measures.sets[measures.set_starts[j] + size] - measures.sets[measures.set_starts[j] + 2]
    return total
