"""Random strategies with random options and limits; whatever they are, they may not change what is true of a problem."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from gensearch_db.problem.problem import Strategy
from gensearch_db.search.result import SearchProblem, SearchResult, StoppingRule
from gensearch_db.search.run import search

SWITCHES = (
    "balanced", "water_fill", "prices", "needs", "labels", "single_groups", "cheapest_boxes", "small_blocks", "grids",
    "coarse_spaces", "blurred_spaces", "assistant", "all_boxes",
)  # fmt: skip
"""The switches of the block graph."""

Options = dict[str, Any]


@dataclass(frozen=True)
class Way:
    """One way to search."""

    strategy: str
    options: Options
    stopping: StoppingRule
    threads: int | None

    def search(self, problem: SearchProblem) -> SearchResult:
        """Search a problem in this way."""
        return search(problem, Strategy(self.strategy), self.stopping, options=self.options, threads=self.threads)


@st.composite
def ways(draw: st.DrawFn) -> Way:
    """A strategy, its options, and when to stop: most often at its own end."""
    strategy = draw(st.sampled_from(["block_graph", "block_graph", "enumeration", "mondrian", "mondrian_steepest"]))
    factor = draw(st.sampled_from([1.0, 1.0, 1.0, 1.05, 2.0]))
    options = draw(options_of(strategy))
    if factor > 1:
        options.pop("all_optimal", None)
        options.pop("list_at_most", None)
    limited = draw(st.integers(0, 3)) == 0
    stopping = StoppingRule(
        seconds=draw(st.sampled_from([1e-6, 0.01, 2.0])) if limited else 2.0,
        factor=factor,
        node_limit=draw(st.sampled_from([1, 7, 50, 1000])) if limited or strategy == "enumeration" else None,
        memory_limit=draw(st.sampled_from([None, 1, 4])) if limited else None,
    )
    return Way(strategy, options, stopping, draw(st.sampled_from([None, 1, 2, 3])))


def options_of(strategy: str) -> st.SearchStrategy[Options]:
    """Options of a strategy that go together, often none."""
    if strategy == "block_graph":
        return st.one_of(st.just({}), _switches())
    return st.one_of(st.just({}), _of_the_enumeration()) if strategy == "enumeration" else st.just({})


@st.composite
def _switches(draw: st.DrawFn) -> Options:
    options: Options = {name: draw(st.booleans()) for name in draw(st.lists(st.sampled_from(SWITCHES), unique=True))}
    return options | draw(_listed())


@st.composite
def _of_the_enumeration(draw: st.DrawFn) -> Options:
    options: Options = {}

    def sometimes(name: str, values: st.SearchStrategy[Any]) -> None:
        if draw(st.booleans()):
            options[name] = draw(values)

    sometimes("priority", st.sampled_from(["lb", "cost", "lb/cost"]))
    sometimes("bound", st.sampled_from(["paper", "tight", "exact"]))
    sometimes("look_ahead", st.integers(0, 2))
    sometimes("complete", st.booleans())
    sometimes("split_ids", st.sampled_from(["ascending", "descending", "shuffled"]))
    if options.get("split_ids") == "shuffled":
        sometimes("shuffle_seed", st.integers(0, 99))
    if options.get("bound", "exact") == "exact":
        sometimes("exact_below", st.sampled_from([1, 30, 1000]))
    if draw(st.booleans()):
        return options | draw(_listed())
    sometimes("max_size", st.sampled_from([2, 5, 50]))
    if "max_size" in options:
        sometimes("probes", st.integers(0, 4))
    return options


def _listed() -> st.SearchStrategy[Options]:
    return st.sampled_from([{}, {"all_optimal": True}, {"all_optimal": True, "list_at_most": 2}, {"all_optimal": False}])


@st.composite
def wrong_options(draw: st.DrawFn) -> tuple[str, Options]:
    """A strategy and options of which one is nobody's, another's, or has a value of another kind."""
    strategy = draw(st.sampled_from(list(Strategy))).value
    other = "enumeration" if strategy == "block_graph" else "block_graph"
    wrong: list[tuple[str, Any]] = [("balance", True), ("bound" if other == "enumeration" else "prices", "exact")]
    if strategy == "block_graph":
        wrong += [("prices", "false"), ("all_optimal", 2), ("list_at_most", -1), ("assistant", 0.5), ("list_at_most", "x")]
    if strategy == "enumeration":
        wrong += [("bound", "tightest"), ("max_size", 1), ("probes", -1), ("look_ahead", True), ("complete", "no")]
    name, value = draw(st.sampled_from(wrong))
    return strategy, {**draw(options_of(strategy)), **({"max_size": 5} if name == "complete" else {}), name: value}
