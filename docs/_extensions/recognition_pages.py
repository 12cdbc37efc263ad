"""A page for parentheses and one for palindromes, from the results that were kept below ``training/results``:
the tables of Wang & Niepert 2019 beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

from page_text import table
from runs_said import machines_of

from training.language_recognition import palindromes, parentheses
from training.language_recognition.paper import TABLE_1, TABLE_2
from training.language_recognition.tables import METHODS as METHOD_NAMES
from training.language_recognition.tables import Row, cell, rows_of

TITLES = {"parentheses": "Balanced parentheses", "palindromes": "Palindromes"}
NAMES = {
    "lstm": "LSTM",
    "lstm-p": "LSTM-P",
    "sr-lstm": "SR-LSTM",
    "sr-lstm-p": "SR-LSTM-P",
    "gru": "GRU",
    "sr-gru": "SR-GRU",
}
COMPARED, SEEDS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p"), 5
COLUMNS = {
    "parentheses": [column.name for column in (*parentheses.COLUMNS, parentheses.DEEP)],
    "palindromes": [column.name for column in palindromes.COLUMNS],
}
STRINGS = {
    "parentheses": """\
Strings over a to z and two parentheses; a string is in the language where no prefix closes more than it
opened and all is closed at its end (the order counts, and the pushdown automaton of `automata.parentheses`
says the same). Networks are trained on strings of depth 0 to 5 and length up to 100, the dev part has depths
6 to 10; the large and the small set have the paper's numbers of strings. Half of the strings outside of the
language are near misses: a bracket turned, moved or dropped, or two exchanged, so that the count goes below
zero and comes back. A test set has 2,000 strings, half of them in the language.
""",
    "palindromes": """\
Strings over a to z; in the language are w and then w reversed. Networks are trained on lengths up to 25, the
dev part has lengths 26 to 50, the test sets lengths from 50 on. What the paper's other strings are is not
said, and the error hangs on it: half of ours are random, half are palindromes with one letter changed. In the
columns "exchanged" they are palindromes in which two letters at places of the same parity are exchanged: sums
of letters with alternating signs, which vanish for palindromes, vanish for these too. A network that learned
those sums is right in the first columns, and at chance in these.
""",
}
METHODS = {
    "parentheses": """\
Two methods of training. **The paper's**, as far as it says it: RMSprop with a learning rate of 0.01 (its
"momentum of 0.9" is read as the smoothing of the squares, with which the curriculum goes faster), 100
units, a curriculum by length, the epoch that is best on the dev part. **Ours**: Adam, 20 units, Gaussian
noise of deviation 1 on what every gate reads and on the centroids' logits, in training only; then a finish in
which gates, centroids and the output are asked for margins; the last weights, nothing is selected. Every
model is to be trained by both, so that one sees what the centroids do and what the training does. Our recipe
was chosen on strings of other draws than the test sets'.
""",
    "palindromes": """\
Two methods of training. **The paper's**, as far as it says it: RMSprop with a learning rate of 0.01, 100
units. **Ours**: Adam with a rate of 0.003, 50 units, and no noise. Both have a curriculum by length and keep
the epoch that is best on the dev part. Our recipe was chosen on strings of other draws than the test sets'.
""",
}


def page(name: str, kept: Sequence[dict[str, Any]]) -> str:
    """The page of an experiment."""
    own = [run for run in kept if run["experiment"] == name]
    rows = [row for row in rows_of(own) if row.experiment == name]
    tables = "Tables 1, 2 and 12" if name == "parentheses" else "Tables 3 and 11"
    parts = [
        f"# {TITLES[name]}\n",
        f"Networks with a memory (Wang & Niepert 2019, section 4.2, {tables}).\n",
        STRINGS[name],
        METHODS[name],
    ]
    if not rows:
        return "\n".join([*parts, "Nothing was run yet.\n"])
    for size in dict.fromkeys(row.size for row in rows):
        if name == "parentheses":
            parts.append(f"## The {size} set\n")
        parts.append(_errors(name, [row for row in rows if row.size == size]))
    parts += [_absent(name, rows), _farthest(name, rows), _counters(rows), _contradicted(name)]
    parts.append(
        "`ratproof campaign run training/campaigns/memory.toml --data . --kept training/results/memory -o"
        " memory` goes on with what is not run yet.\n"
    )
    return "\n".join([*(part for part in parts if part), machines_of(own)])


def _errors(name: str, rows: Sequence[Row]) -> str:
    header = ("model", "method", "seeds", *COLUMNS[name], "seconds a run")
    body = [
        [
            _name(row),
            row.method,
            str(len(row.seeds)),
            *(cell(row, column) for column in COLUMNS[name]),
            f"{row.seconds:.0f}",
        ]
        for row in rows
    ]
    shown = table(header, body, css="speed")
    return f"Wrong answers in %, the mean over seeds; in parentheses the paper's.\n\n{shown}"


def _absent(name: str, rows: Sequence[Row]) -> str:
    """What of the campaign was not run, and what has fewer than its five seeds."""
    sizes = ("large", "small") if name == "parentheses" else ("large",)
    seeds: dict[tuple[str, str, str], int] = {}
    for row in rows:
        key = row.size, row.method, row.model
        seeds[key] = max(seeds.get(key, 0), len(row.seeds))
    said = []
    for size in sizes:
        for method in METHOD_NAMES.values():
            lacking = [
                NAMES[model] + (f" ({count} of {SEEDS} seeds)" if count else "")
                for model in COMPARED
                if (count := seeds.get((size, method, model), 0)) < SEEDS
            ]
            which = f"{size} set, " if name == "parentheses" else ""
            if lacking:
                said.append(f"{which}{'our' if method == 'ours' else method} method: {', '.join(lacking)}")
    return f"Not run yet, or not with all seeds: {'; '.join(said)}.\n" if said else ""


def _farthest(name: str, rows: Sequence[Row]) -> str:
    """Each seed by itself where it is hardest."""
    columns = COLUMNS[name][-2:] if name == "parentheses" else (COLUMNS[name][2], COLUMNS[name][-1])
    body = [
        [
            _name(row),
            row.method,
            row.size if name == "parentheses" else "",
            *(" ".join(f"{100 * error:.2f}" for error in row.errors.get(column, ())) for column in columns),
            " ".join(f"{length:.0f}" for length in row.lengths),
        ]
        for row in rows
    ]
    header = ("model", "method", "set", *columns, "curriculum came to length")
    return f"## Each seed\n\n{table(header, body, css='speed')}"


def _counters(rows: Sequence[Row]) -> str:
    counting = [row for row in rows if row.counters]
    if not counting:
        return ""
    names = {
        "r_squared": "R²",
        "largest_error": "largest error, depth 20, length 1,000",
        "largest_error_of_one_cell": "of one cell alone",
        "drift_a_symbol": "drift a symbol",
    }
    body = [
        [_name(row), row.method, row.size, *(_digits(key, row.counters) for key in names)] for row in counting
    ]
    return (
        "## What the cell counts\n\nA linear map from the cell state to the depth, fitted on strings of depth"
        " up to 5 and length 100; the means over seeds. The error is that of the map at depth 20 and length"
        f" 1,000.\n\n{table(('model', 'method', 'set', *names.values()), body, css='speed')}"
    )


def _digits(key: str, counters: Sequence[dict[str, float]]) -> str:
    values = [one[key] for one in counters]
    value = mean(map(abs, values)) if key == "drift_a_symbol" else mean(values)
    return f"{value:.7f}" if key == "r_squared" else f"{value:.2g}"


def _contradicted(name: str) -> str:
    """What the text says of its tables, and what they have."""
    if name == "palindromes":
        return (
            "## The text and the table\n\nTable 10 has lengths from 1 to 25 for palindromes, odd ones too; w"
            " and then w reversed has an even one. Palindromes are no deterministic context-free language, so"
            " that they cannot show that a network behaves as a deterministic pushdown automaton (section"
            " 4.2).\n"
        )
    plain, centroids = TABLE_1["large", "lstm"], TABLE_1["large", "sr-lstm"]
    worse = sum(b > a for a, b in zip(plain, centroids, strict=True))
    best = sum(two == min(column) for two, *column in zip(TABLE_2[2], *TABLE_2.values(), strict=True))
    return (
        "## The text and the tables\n\nThe paper says that SR-LSTM and SR-LSTM-P extrapolate better than"
        f" the LSTM; in Table 1, on the large set, SR-LSTM is worse than LSTM in {worse} of"
        f" {len(plain)} rows."
        f" It says that two centroids are best for most test sets; in Table 2 they are in {best} of"
        f" {len(TABLE_2[2])}.\n"
    )


def _name(row: Row) -> str:
    return row.name.replace(row.model, NAMES[row.model], 1)
