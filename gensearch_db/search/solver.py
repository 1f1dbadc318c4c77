"""Compiled: depth-first branch and bound with memory over the blocks of the space (the AND/OR graph of blocks).

``opt(B) = min(cost(B) if B is feasible, min over splits of the sum of opt(children))``, ``opt(empty) = 0`` (THEORY 2.1). A
frame of the explicit stack solves one block against a limit: it ends with the block's optimum, or with a proof that the
optimum is at least the limit. Cells of a block are a slice of ``order``; a split permutes them inside the slice, so a child
is a slice again. The search can stop after any number of blocks and go on later: all of its state is in the arrays.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gensearch_db.compilation import compiled
from gensearch_db.search.arrays import TAXONOMY
from gensearch_db.search.block_kernel import evaluate_block, sum_features
from gensearch_db.search.bounds import PRICE_REST, BoundArrays, bound_from_sums, water_fill
from gensearch_db.search.candidates import push_splits
from gensearch_db.search.division import divide, gather_part
from gensearch_db.search.memory import FREE, UNKNOWN, WHOLE, remember, slot_of
from gensearch_db.search.sides import side_worth
from gensearch_db.search.state import BOUNDS, Counters, Kernel

CANDIDATES_READ = 8
"""So many candidates are looked through in the time that a value of a cell takes to be read."""

DONE, PAUSED, MEMORY_FULL, STACK_FULL = 0, 1, 2, 3

ENTER, CHOOSE, RETURN = 0, 1, 2
"""What a frame does next: look at its block, choose a split, take a child's answer."""


@compiled
def tolerance(bounds: BoundArrays, value: float) -> float:
    """How far apart two costs of that size may be by rounding alone: nothing for integral costs."""
    if bounds.integral == 1 or value == np.inf:
        return 0.0
    return 1e-10 * abs(value)


@compiled
def push_frame(kernel: Kernel, start: int, end: int, words: NDArray[np.uint64], limit: float) -> None:
    """Ask for a block's optimum, or for a proof that it is at least ``limit``."""
    frames = kernel.frames
    kernel.counters.depth[0] += 1
    depth = kernel.counters.depth[0]
    frames.phase[depth] = ENTER
    frames.start[depth] = start
    frames.end[depth] = end
    frames.words[depth] = words
    frames.limit[depth] = limit
    if depth == 0:
        frames.first_candidate[0] = kernel.candidates.top[0]
        frames.first_child[0] = 0
        frames.child_count[0] = 0
    else:
        frames.first_candidate[depth] = frames.last_candidate[depth - 1]
        frames.first_child[depth] = frames.first_child[depth - 1] + frames.child_count[depth - 1]
        frames.child_count[depth] = 0
    frames.last_candidate[depth] = frames.first_candidate[depth]


@compiled
def enter(kernel: Kernel) -> None:
    """Look at the top frame's block: its own cost, its bounds, its splits."""
    frames, counters, bounds = kernel.frames, kernel.counters, kernel.bounds
    depth = counters.depth[0]
    start, end, words = frames.start[depth], frames.end[depth], frames.words[depth]
    counters.visited[0] += 1
    frames.visited_before[depth] = counters.visited[0]
    rows, _, feasible, cost = evaluate_block(kernel, start, end, words, kernel.cells.features.shape[1])
    frames.best[depth] = cost if feasible else np.inf
    frames.best_attribute[depth] = WHOLE if feasible else UNKNOWN
    frames.best_position[depth] = 0
    frames.rest[depth] = np.inf
    frames.opened[depth] = 0
    frames.phase[depth] = CHOOSE
    bound = np.inf
    if feasible or kernel.monotone == 0:
        bound = bound_from_sums(bounds, rows, kernel.sums.block_features)
        if bounds.water_fill == 1 and bounds.squares_weight > 0.0 and bound < frames.limit[depth]:
            squares = water_fill(kernel.cells.rows, kernel.order, start, end, bounds.minimum_rows)
            price = kernel.sums.block_features[PRICE_REST]
            bound = max(bound, bounds.squares_weight * squares + price)
    limit = min(frames.limit[depth], frames.best[depth])
    if bound >= limit - tolerance(bounds, limit):
        frames.rest[depth] = bound
        return
    candidates = kernel.candidates
    candidates.top[0] = frames.first_candidate[depth]
    candidates.worth[0] = BOUNDS
    if push_splits(kernel, words, rows, limit):
        counters.restricted[0] = 1
    frames.last_candidate[depth] = candidates.top[0]
    slot = slot_of(kernel.memory, words)
    if kernel.memory.tag[slot] != FREE and kernel.memory.upper[slot] < frames.best[depth]:
        frames.best[depth] = kernel.memory.upper[slot]
        frames.best_attribute[depth] = kernel.memory.attribute[slot]
        frames.best_position[depth] = kernel.memory.position[slot]
    if candidates.best[0] < frames.best[depth]:
        frames.best[depth] = candidates.best[0]
        frames.best_attribute[depth] = candidates.best_split[0]
        frames.best_position[depth] = candidates.best_split[1]


@compiled
def choose(kernel: Kernel) -> None:
    """Take the top frame's most promising split that is left, or end the frame."""
    frames, candidates = kernel.frames, kernel.candidates
    depth = kernel.counters.depth[0]
    limit = min(frames.limit[depth], frames.best[depth])
    limit -= tolerance(kernel.bounds, limit)
    first, last = frames.first_candidate[depth], frames.last_candidate[depth]
    if first == last:
        finish(kernel)
        return
    kernel.counters.effort[0] += (last - first) // CANDIDATES_READ
    pick = second = first
    for i in range(first + 1, last):
        if candidates.bound[i] < candidates.bound[pick]:
            second = pick
            pick = i
        elif second == pick or candidates.bound[i] < candidates.bound[second]:
            second = i
    if candidates.aside[0] == 1 and candidates.bound[second] < limit:
        pick = second
    if candidates.bound[pick] >= limit:
        frames.rest[depth] = min(frames.rest[depth], candidates.bound[pick])
        finish(kernel)
        return
    frames.attribute[depth] = candidates.attribute[pick]
    frames.position[depth] = candidates.position[pick]
    last -= 1
    candidates.attribute[pick] = candidates.attribute[last]
    candidates.position[pick] = candidates.position[last]
    candidates.bound[pick] = candidates.bound[last]
    frames.last_candidate[depth] = last
    frames.opened[depth] += 1
    open_split(kernel)


@compiled
def open_split(kernel: Kernel) -> None:
    """Divide the top frame's cells by its current split and look its parts up."""
    frames, children = kernel.frames, kernel.children
    depth = kernel.counters.depth[0]
    j, position = frames.attribute[depth], frames.position[depth]
    boundaries = np.empty(66 if kernel.space.kinds[j] != TAXONOMY else kernel.space.node_child_count[position] + 2, np.int64)
    parts = divide(kernel, frames.start[depth], frames.end[depth], j, position, boundaries)
    first = frames.first_child[depth]
    count = 0
    for part in range(parts):
        if boundaries[part] == boundaries[part + 1]:
            continue
        slot = first + count
        count += 1
        children.start[slot] = boundaries[part]
        children.end[slot] = boundaries[part + 1]
        words = children.words[slot]
        gather_part(kernel, frames.words[depth], j, position, part, boundaries[part], boundaries[part + 1], words)
        rows = sum_features(kernel, boundaries[part], boundaries[part + 1], kernel.sums.left_features)
        bound, exact = side_worth(kernel, rows, kernel.sums.left_features, words, np.inf)
        children.bound[slot] = bound
        children.exact[slot] = exact
    frames.child_count[depth] = count
    frames.child[depth] = -1
    frames.phase[depth] = RETURN


@compiled
def advance_split(kernel: Kernel) -> None:
    """Go on with the top frame's split: ask for its smallest part that is not solved yet, or close the split."""
    frames, children = kernel.frames, kernel.children
    depth = kernel.counters.depth[0]
    limit = min(frames.limit[depth], frames.best[depth])
    limit -= tolerance(kernel.bounds, limit)
    refuted = False  # a part that is not solved costs at least what it was asked against, whatever rounding makes of the sum
    first = frames.first_child[depth]
    last = first + frames.child_count[depth]
    if frames.child[depth] >= 0:
        slot = frames.child[depth]
        children.bound[slot] = kernel.counters.answer[0]
        children.exact[slot] = kernel.counters.answer[0] >= kernel.counters.answer[1]
        refuted = not children.exact[slot]
    total = 0.0
    pick = -1
    for slot in range(first, last):
        total += children.bound[slot]
        if not children.exact[slot] and (
            pick < 0 or children.end[slot] - children.start[slot] < children.end[pick] - children.start[pick]
        ):
            pick = slot
    if total >= limit or refuted:
        frames.rest[depth] = min(frames.rest[depth], total)
    elif pick < 0:
        frames.best[depth] = total
        frames.best_attribute[depth] = frames.attribute[depth]
        frames.best_position[depth] = frames.position[depth]
    else:
        frames.child[depth] = pick
        push_frame(
            kernel, children.start[pick], children.end[pick], children.words[pick], limit - (total - children.bound[pick])
        )
        return
    frames.child_count[depth] = 0
    frames.phase[depth] = CHOOSE


@compiled
def finish(kernel: Kernel) -> None:
    """Remember what the top frame learnt and take it off the stack."""
    frames, counters = kernel.frames, kernel.counters
    depth = counters.depth[0]
    best, rest = frames.best[depth], frames.rest[depth]
    lower = best if rest >= best - tolerance(kernel.bounds, best) else rest
    effort = counters.visited[0] - frames.visited_before[depth] + 1
    remember(kernel.memory, frames.words[depth], lower, best, frames.best_attribute[depth], frames.best_position[depth], effort)
    slot = slot_of(kernel.memory, frames.words[depth])
    counters.answer[0] = kernel.memory.lower[slot]
    counters.answer[1] = kernel.memory.upper[slot]
    counters.depth[0] -= 1


@compiled
def is_answered(kernel: Kernel, depth: int) -> bool:
    """Whether the memory answers a frame's question: then that is the answer, and the frame and those above it are dropped."""
    frames, memory, answer = kernel.frames, kernel.memory, kernel.counters.answer
    slot = slot_of(memory, frames.words[depth])
    if memory.tag[slot] == FREE:
        return False
    lower, upper, limit = memory.lower[slot], memory.upper[slot], frames.limit[depth]
    if lower >= upper - tolerance(kernel.bounds, upper):
        lower = upper
    elif lower < limit - tolerance(kernel.bounds, limit):
        return False
    answer[0] = lower
    answer[1] = upper
    kernel.counters.depth[0] = depth - 1
    return True


@compiled
def drop_answered(kernel: Kernel) -> None:
    """Drop the frames whose questions the memory answers, now that others have added to it."""
    for depth in range(kernel.counters.depth[0] + 1):
        if is_answered(kernel, depth):
            return


@compiled
def must_pause(counters: Counters) -> bool:
    """Whether the agreed effort was made or the agreed block is reached."""
    return counters.effort[0] >= counters.last_effort[0] or counters.visited[0] >= counters.last_block[0]


@compiled
def may_give_up(counters: Counters) -> bool:
    """Whether the question at hand has had all the effort it was given."""
    return counters.effort[0] >= counters.last_of_question[0]


@compiled
def advance(kernel: Kernel, most_splits: int, most_parts: int) -> int:
    """Search until the stack is empty (DONE), the agreed effort was made (PAUSED), or room runs out. Another thread may
    lower ``last_effort`` meanwhile."""
    frames, counters = kernel.frames, kernel.counters
    while counters.depth[0] >= 0:
        depth = counters.depth[0]
        phase = frames.phase[depth]
        if phase == ENTER:
            if must_pause(counters) or may_give_up(counters):
                return PAUSED
            if 2 * (kernel.memory.entries[0] + depth + 2) > len(kernel.memory.tag):
                return MEMORY_FULL
            if (
                depth + 2 > len(frames.phase)
                or frames.first_candidate[depth] + most_splits > len(kernel.candidates.bound)
                or frames.first_child[depth] + most_parts > len(kernel.children.bound)
            ):
                return STACK_FULL
            if not is_answered(kernel, depth):
                enter(kernel)
        elif phase == CHOOSE:
            choose(kernel)
        else:
            advance_split(kernel)
    return DONE


@compiled
def share_done(kernel: Kernel) -> float:
    """What share of the question in progress is answered, were the splits of a block all as much work: each of the top frame's
    splits is a share of the one that the frame below is working on, and so on. Memory makes later ones easier."""
    frames, candidates = kernel.frames, kernel.candidates
    done, part = 0.0, 1.0
    for depth in range(kernel.counters.depth[0] + 1):
        limit = min(frames.limit[depth], frames.best[depth])
        left = 0
        for i in range(frames.first_candidate[depth], frames.last_candidate[depth]):
            left += candidates.bound[i] < limit
        part /= max(1, left + frames.opened[depth])
        done += part * max(0, frames.opened[depth] - 1)
    return done
