"""A page for parentheses and one for palindromes, from the results that were kept below ``training/results``:
the tables of Wang & Niepert 2019 beside ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import mean
from typing import Any

import counter_sections
import palindrome_sections
from model_names import NAMES
from page_text import table
from runs_said import machines_of

from training.language_recognition import palindromes, parentheses
from training.language_recognition.paper import TABLE_1, TABLE_2, TABLE_11
from training.language_recognition.tables import FIRST, Row, is_recognition, rows_of
from training.language_recognition.tables import METHODS as METHOD_NAMES

TITLES = {"parentheses": "Balanced parentheses", "palindromes": "Palindromes"}
COMPARED, SEEDS = ("lstm", "lstm-p", "sr-lstm", "sr-lstm-p"), 5
CENTROIDS = (2, 5, 10, 50, 100)
LONGER = """\
## A longer finish

Sixty epochs of finish in place of 20 (`--finish 60`): gates are farther from where they waver, so that more
can be certified of the network.
"""
AT_FIRST = """\
## Our method at first

Without new starts, and without a loss on recurrent weights (`--preset first`); the last weights, whatever
they are.
"""
TO_READ = """\
In each column the paper's errors in %, then ours, the mean over seeds; a dash: not in the paper; a dot: not
run.
"""
GO_ON = """\
`ratproof campaign run training/campaigns/memory.toml --data . --kept training/results/memory -o memory` goes
on with what is not run yet.
"""
COLUMNS = {
    "parentheses": [column.name for column in (*parentheses.COLUMNS, parentheses.DEEP)],
    "palindromes": [column.name for column in palindromes.COLUMNS],
}
STRINGS = {
    "parentheses": """\
Strings over a to z and two parentheses; a string is in the language where no prefix closes more than it
opened and all is closed at its end (the order counts, and the pushdown automaton of
`automata.languages.parentheses` says the same). Networks are trained on strings of depth 0 to 5 and length up
to 100, the dev part has depths 6 to 10; the large and the small set have the paper's numbers of strings. Half
of the strings outside of the language are near misses: a bracket turned, moved or dropped, or two exchanged,
so that the count goes below zero and comes back. A test set has 2,000 strings, half of them in the language.
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
noise of deviation 1 on what every gate reads and on the centroids' logits, in training only; the absolute
values of the recurrent weights in the loss; then a finish in which gates, centroids and the output are
asked for margins. Where no step of the curriculum comes in 30 epochs, or a string of the dev part is wrong
after the finish, training begins again with new weights; of weights between, none are selected. Every model
is trained by both, so that one sees what the centroids do and what the training does. Our recipe was chosen
on strings of other draws than the test sets', and with other seeds.
""",
    "palindromes": """\
Two methods of training. **The paper's**, as far as it says it: RMSprop with a learning rate of 0.01, 100
units. **Ours**: Adam with a rate of 0.003, 50 units, no noise, and after the curriculum 60 epochs in which
the rate falls to 2 %. Both have a curriculum by length and keep the epoch that is best on the dev part. Our
recipe was chosen by the dev part, with another seed than those of the table.
""",
}


def pages(kept: Sequence[dict[str, Any]]) -> dict[str, str]:
    """The pages and their pictures, by path below ``experiments``."""
    made: dict[str, str] = {}
    for name in TITLES:
        own = [run for run in kept if run["experiment"] == name]
        attempts = [run for run in kept if run["experiment"] == "exchanges"]
        made[f"{name}.md"] = _page(name, own, attempts if name == "palindromes" else [], made)
    return made


def _page(
    name: str, own: Sequence[dict[str, Any]], attempts: Sequence[dict[str, Any]], made: dict[str, str]
) -> str:
    rows = rows_of(own)
    tables = "Tables 1, 2 and 12" if name == "parentheses" else "Tables 3 and 11"
    parts = [
        f"# {TITLES[name]}\n",
        f"Networks with a memory (Wang & Niepert 2019, section 4.2, {tables}).\n",
        STRINGS[name],
        METHODS[name],
        *(_tables_of_parentheses(rows) if name == "parentheses" else _tables_of_palindromes(rows)),
    ]
    if name == "palindromes":
        parts += [*palindrome_sections.sections([*own, *attempts]), _attempts(rows_of(attempts))]
    main = [row for row in rows if row.method in METHOD_NAMES.values()]
    if main:
        parts += [_farthest(name, main), _counters(main)]
    if name == "parentheses":
        parts += counter_sections.sections([run for run in own if is_recognition(run)], made)
    parts += [_contradicted(name), GO_ON, machines_of(own) if own else ""]
    return "\n".join(part for part in parts if part)


def _tables_of_parentheses(rows: Sequence[Row]) -> list[str]:
    parts = [TO_READ]
    for size in ("large", "small"):
        number = "Tables 1 and 12" if size == "large" else "Table 1"
        own = [row for row in rows if row.size == size and row.centroids in (None, 5)]
        lines = [
            _line("parentheses", own, (model, None), method, TABLE_1.get((size, model)))
            for model in _models(own)
            for method in METHOD_NAMES.values()
        ]
        parts += [f"## {number}: the {size} set\n", _table("parentheses", lines)]
    small = [row for row in rows if row.size == "small" and row.model == "sr-lstm-p"]
    lines = [
        _line("parentheses", small, ("sr-lstm-p", k), method, TABLE_2.get(k))
        for k in CENTROIDS
        for method in METHOD_NAMES.values()
        if method == "ours" or any(row.centroids == k and row.method == method for row in small) or k == 5
    ]
    parts += [
        "## Table 2: numbers of centroids\n",
        "SR-LSTM-P on the small set; the paper's Table 9 names k = 100 too, and its Table 2 has no figures of"
        " it.\n",
        _table("parentheses", lines),
    ]
    longer = [row for row in rows if row.method.startswith("ours, ")]
    first = [row for row in rows if row.method.startswith(FIRST)]
    return [*parts, *_section(LONGER, longer), *_section(AT_FIRST, first)]


def _section(head: str, rows: Sequence[Row]) -> list[str]:
    """Another recipe, so that one sees what the rest of ours does."""
    if not rows:
        return []
    lines = []
    for row in sorted(rows, key=lambda row: (row.size, list(NAMES).index(row.model), row.centroids or 0)):
        line = _line("parentheses", [row], (row.model, row.centroids), row.method, None)
        lines.append([_name(row), row.size, *line[1:]])
    header = ("model", "set", "method", "seeds", *COLUMNS["parentheses"], "seconds a run")
    return [head, table(header, lines, css="speed")]


def _tables_of_palindromes(rows: Sequence[Row]) -> list[str]:
    lines = [
        _line("palindromes", rows, (model, None), method, TABLE_11.get(model))
        for model in _models(rows)
        for method in METHOD_NAMES.values()
    ]
    return [TO_READ, "## Tables 3 and 11\n", _table("palindromes", lines)]


def _models(rows: Sequence[Row]) -> list[str]:
    """Those that are compared, and what else was run."""
    return list(dict.fromkeys((*COMPARED, *(row.model for row in rows))))


def _line(
    name: str, rows: Sequence[Row], which: tuple[str, int | None], method: str, paper: Sequence[float] | None
) -> list[str]:
    """A line of a table: the paper's figure and ours in each column; or that it was not run."""
    model, k = which
    own = [row for row in rows if (row.model, row.method) == (model, method) and k in (None, row.centroids)]
    row = max(own, key=lambda one: len(one.seeds), default=None)
    title = NAMES[model] + ("" if k is None else f", k = {k}")
    printed = [f"{100 * share:.1f}" for share in paper or ()]
    cells = []
    for number, column in enumerate(COLUMNS[name]):
        beside = printed[number] if number < len(printed) else "-"
        errors = () if row is None else row.errors.get(column, ())
        cells.append(f"{beside} / {100 * mean(errors):.2f}" if errors else f"{beside} / ·")
    if row is None:
        return [title, method, "not run", *cells, "·"]
    seeds = f"{len(row.seeds)}" + (f" of {SEEDS}" if len(row.seeds) < SEEDS else "")
    return [title, method, seeds, *cells, f"{row.seconds:.0f}"]


def _table(name: str, lines: Sequence[Sequence[str]]) -> str:
    return table(("model", "method", "seeds", *COLUMNS[name], "seconds a run"), lines, css="speed")


def _attempts(rows: Sequence[Row]) -> str:
    """Networks that had exchanges among the strings that they were trained on."""
    lines = [
        _line("palindromes", rows, (model, None), method, None)
        for model in _models(rows)
        for method in METHOD_NAMES.values()
        if method == "ours" or any(row.method == method for row in rows)
    ]
    says = (
        "The same strings, but of those to train on that are no palindromes a third each is random, has a"
        " letter changed, and has two exchanged (`ratproof train exchanges`). The paper has no such thing.\n"
    )
    return f"## Trained on exchanges too\n\n{says}\n{_table('palindromes', lines)}"


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
            " ".join(map(str, row.restarts)),
        ]
        for row in rows
    ]
    header = ("model", "method", "set", *columns, "curriculum came to length", "new starts")
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
