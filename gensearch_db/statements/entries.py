"""Every statement of ours, every clause of ANONYMIZE and every option of a column: how it is written and what it does.

The one source of ``.help``, completion and ``docs/sql.md``; tests hold it to what the parser reads.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """One statement, clause or option: its first words, how it is written, what it does, an example."""

    words: str
    syntax: str
    meaning: str
    example: str


STATEMENTS = (
    Entry(
        "ANONYMIZE",
        "ANONYMIZE TABLE table | 'file' | (query) INTO release [clause …]",
        "Finds the optimal generalization of the table and writes it as the tables `release` and `release_blocks`, "
        "audited, in one transaction. Clauses stand in any order, each at most once. Without any clause that names "
        "columns, column comments say what each column is (see Labels).",
        "ANONYMIZE TABLE adult INTO adult_release\n"
        "  QUASI IDENTIFIERS (age SPLIT EVERY 5, sex)\n"
        "  SENSITIVE (income)\n"
        "  SUBJECT TO k_anonymity(10) AND entropy_l_diversity(1.5)\n"
        "  STOP AFTER INTERVAL 1 MINUTE",
    ),
    Entry(
        "EXPLAIN ANONYMIZE",
        "EXPLAIN ANONYMIZE …",
        "Tells what the search would face and writes nothing: the split set, cells, blocks, partitions, the largest k "
        "possible, whether each constraint can be met, memory and time to expect, and the SQL that will run.",
        "EXPLAIN ANONYMIZE TABLE adult INTO adult_release QUASI IDENTIFIERS (age SPLIT EVERY 5, sex) SUBJECT TO "
        "k_anonymity(10)",
    ),
    Entry(
        "ANONYMIZE … USING RELEASE",
        "ANONYMIZE TABLE new_rows INTO new_release [REPLACE] USING RELEASE release",
        "Generalizes new rows by the blocks of an existing release instead of searching. Rows that lie in no block, and blocks "
        "that fall below the release's constraints with these rows alone, are held back; the answer counts them.",
        "ANONYMIZE TABLE adult_2025 INTO adult_2025_release USING RELEASE adult_release",
    ),
    Entry(
        "AUDIT",
        "AUDIT release [AGAINST table | 'file' | (query)] [WITH other_release] [SUBJECT TO constraint [AND …]]\n"
        "AUDIT table QUASI IDENTIFIERS (column, …) [SENSITIVE (column, …)] [SUBJECT TO constraint [AND …]]",
        "Checks a release by SQL that shares no code with the search and reads only the written tables. Where the source can "
        "be read (the one that AGAINST names, or else the recorded one), it also checks that every row of it lies inside its "
        "block. WITH names another release of the same people: whoever has both can intersect their blocks, so the classes "
        "that both form together are measured too, and small or homogeneous ones are warned of. Where one shows as it is what "
        "the other generalizes, the very value tells classes apart; where the rows are others than those released, that is "
        "warned of too. SUBJECT TO adds to what the release was made to hold. With QUASI IDENTIFIERS any table is checked, "
        "also one that others anonymized. One row per "
        "check. A source whose rows fail while they are read (a cast in the recorded query) is skipped; inside a transaction "
        "of yours it is an error that aborts the transaction, as any failing statement does: name another with AGAINST.",
        "AUDIT published QUASI IDENTIFIERS (age, sex) SENSITIVE (illness) SUBJECT TO k_anonymity(5)",
    ),
    Entry(
        "ESTIMATE",
        "ESTIMATE SELECT COUNT(*) FROM table WHERE … USING release",
        "Estimates a count query on the release alone, under uniform spread inside each block.",
        "ESTIMATE SELECT COUNT(*) FROM adult WHERE age BETWEEN 37 AND 77 USING adult_release",
    ),
    Entry(
        "PROFILE",
        "PROFILE table | 'file' | (query)",
        "Says of each column what it looks like: type, distinct values, NULLs, share of unique values, how well it "
        "separates rows alone and together with others, a verdict with its reason, and in the last row a ready ANONYMIZE "
        "statement. No value of any row is shown.",
        "PROFILE adult",
    ),
    Entry("SHOW RELEASES", "SHOW RELEASES", "Lists the releases of this database, oldest first.", "SHOW RELEASES"),
    Entry(
        "DROP RELEASE",
        "DROP RELEASE [IF EXISTS] release",
        "Drops the release, its blocks and its catalog row in one transaction.",
        "DROP RELEASE IF EXISTS adult_release",
    ),
    Entry(
        "PUBLISH",
        "PUBLISH release, … TO 'target' [REPLACE]",
        "Copies what may be handed out, `release` and `release_blocks` and nothing else, into a .duckdb file, or into a "
        "folder of its own as 'folder/*.parquet' or 'folder/*.csv', with a data dictionary and how the receiver checks it. "
        "A release whose tables were changed since is refused; an existing target is only overwritten with REPLACE. Two "
        "releases of the same people are noted where they go out together: ask `AUDIT release WITH other`, also before one "
        "goes out after the other. So are, for CSV, columns that "
        "a spreadsheet would take for formulas.",
        "PUBLISH adult_release TO 'handout.duckdb'",
    ),
)

CLAUSES = (
    Entry(
        "REPLACE",
        "REPLACE",
        "Replaces a release of the same name. A source that reads that release, also behind views, macros and queries, is "
        "refused (where the configuration is locked, only if the optimizer keeps the table in the plan; a copy is not known as "
        "one).",
        "REPLACE",
    ),
    Entry(
        "IDENTIFIERS", "IDENTIFIERS (column, …)", "Columns that name a person outright; never released.", "IDENTIFIERS (name)"
    ),
    Entry(
        "PERSON",
        "PERSON (column)",
        "The column that tells persons apart where several rows may belong to one: sizes then count persons.",
        "PERSON (patient_id)",
    ),
    Entry(
        "QUASI IDENTIFIERS",
        "QUASI IDENTIFIERS (column [option …], …)",
        "Columns that others could link to a person; they are generalized.",
        "QUASI IDENTIFIERS (age SPLIT EVERY 5, zip PREFIX)",
    ),
    Entry(
        "SENSITIVE",
        "SENSITIVE (column [ORDERED [(value, …)] | TAXONOMY table], …)",
        "Columns to protect from being inferred; released as they are. t-closeness measures along an order, over a taxonomy.",
        "SENSITIVE (diagnosis TAXONOMY icd, stage ORDERED ('I', 'II'))",
    ),
    Entry("KEEP", "KEEP (column, …)", "Further columns to release as they are.", "KEEP (weight)"),
    Entry(
        "SUBJECT TO",
        "SUBJECT TO constraint AND constraint …",
        "The privacy constraints that every block must meet.",
        "SUBJECT TO k_anonymity(10) AND t_closeness(0.2, income)",
    ),
    Entry(
        "SUPPRESS AT MOST",
        "SUPPRESS AT MOST x PERCENT",
        "How many rows may be left out of the release; none unless said.",
        "SUPPRESS AT MOST 1 PERCENT",
    ),
    Entry(
        "MINIMIZE",
        "MINIMIZE cost [+ weight * cost …]",
        "The information loss to minimize; ncp unless said.",
        "MINIMIZE ncp + 0.5 * discernibility",
    ),
    Entry(
        "USING",
        "USING strategy [(option = value, …)]",
        "The search: block_graph (unless said), enumeration (the paper's), mondrian or mondrian_steepest. With the option "
        "all_optimal = true of the first two the answer counts the optimal releases and lists others (block_graph not where "
        "rows may be suppressed; a note says why they were not counted).",
        "USING enumeration (priority = cost)",
    ),
    Entry("STOP AFTER", "STOP AFTER INTERVAL n unit", "Time limit; 1 minute unless said.", "STOP AFTER INTERVAL 90 SECONDS"),
    Entry(
        "STOP WITHIN",
        "STOP WITHIN x PERCENT OF OPTIMAL | STOP WITHIN factor OF OPTIMAL",
        "Accepts a release that is proven to cost at most this much more than the optimum.",
        "STOP WITHIN 5 PERCENT OF OPTIMAL",
    ),
    Entry("NODE LIMIT", "NODE LIMIT n", "Stops after n nodes of the search; reproducible everywhere.", "NODE LIMIT 100000"),
    Entry("MEMORY LIMIT", "MEMORY LIMIT 'n MB'", "Memory for what the search remembers.", "MEMORY LIMIT '2 GB'"),
    Entry("THREADS", "THREADS n", "At most so many threads, of DuckDB and of the search (which uses two).", "THREADS 2"),
    Entry(
        "LABELS",
        "LABELS REGION | VALUES",
        "Whether a label states the block's region (unless said) or only the values that occur in it. VALUES is refused beside "
        "MINIMUM LENGTH and `minimum_length`: the values that occur may span less than the region does.",
        "LABELS VALUES",
    ),
    Entry(
        "WITH TYPED COLUMNS",
        "WITH TYPED COLUMNS",
        "Adds bounds and value lists in the column's own type to the release.",
        "WITH TYPED COLUMNS",
    ),
    Entry(
        "STATISTICS",
        "STATISTICS auto | sql | memory",
        "Whether block statistics come from grouped SQL (with USING enumeration) or compiled code; answers are identical.",
        "USING enumeration STATISTICS sql",
    ),
)

OPTIONS = (
    Entry(
        "SPLIT", "SPLIT EVERY n | EVERY [n] MONTH", "Boundaries at multiples of a step or unit of time.", "age SPLIT EVERY 5"
    ),
    Entry("SPLIT", "SPLIT AT a, b, …", "Boundaries at these values; dates as strings.", "age SPLIT AT 18, 30, 65"),
    Entry("SPLIT", "SPLIT n QUANTILES", "Boundaries that divide the rows into n equal parts.", "income SPLIT 16 QUANTILES"),
    Entry("SPLIT", "SPLIT ANYWHERE", "A boundary before every value that occurs.", "age SPLIT ANYWHERE"),
    Entry(
        "TAXONOMY",
        "TAXONOMY table | 'file.csv'",
        "Regions are the nodes of a taxonomy.",
        "education TAXONOMY education_levels",
    ),
    Entry(
        "RELAXED",
        "TAXONOMY … RELAXED",
        "Any subset of a node's children may split from the rest.",
        "education TAXONOMY education_levels RELAXED",
    ),
    Entry("PREFIX", "PREFIX", "Regions are common prefixes: postcodes and other codes.", "zip PREFIX"),
    Entry(
        "ORDERED",
        "ORDERED [(value, …)]",
        "Categories in order: the column's own, or the one listed.",
        "grade ORDERED ('low', 'middle', 'high')",
    ),
    Entry("UNORDERED", "UNORDERED", "Any set of values is a region.", "region UNORDERED"),
    Entry("DOMAIN", "DOMAIN (low, high)", "The declared bounds, published as they are.", "age DOMAIN (0, 120)"),
    Entry("WEIGHT", "WEIGHT w", "The column's share in ncp.", "age WEIGHT 2"),
    Entry(
        "MINIMUM",
        "MINIMUM LENGTH n",
        "The shortest published edge: `minimum_length`, beside the attribute. Not with LABELS VALUES.",
        "age MINIMUM LENGTH 5",
    ),
    Entry(
        "TIMEZONE", "TIMEZONE 'zone'", "Where days begin, for TIMESTAMPTZ.", "seen SPLIT EVERY MONTH TIMEZONE 'Europe/Berlin'"
    ),
)
