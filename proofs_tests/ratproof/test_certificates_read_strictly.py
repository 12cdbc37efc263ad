"""Tests that certificates are read strictly, also by the stand-alone checkers.

A malformed certificate is rejected quickly with a one-line message.
"""

import copy
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, event, given, settings
from hypothesis import strategies as st

from proofs_tests.ratproof.certificate_files import (
    FILES,
    SMALL,
    at,
    automaton,
    certificate,
    changed,
    holds,
    paths_in,
    run_program,
)
from ratproof.checkers.table import checker_of, judge

ALL = pytest.mark.parametrize("name", SMALL)
WHOLE = {name: certificate(name) for name in SMALL}
EQUIVALENT = {"format": "ratproof certificate 1", "claims": "equivalent"}
MAY_BE_MISSING = {("stand",), ("every size",), ("to A",), ("to B",)}
"""Fields that may be missing; a missing matrix is the identity."""


def rejected(tmp_path, capsys, text, name):
    """Assert that the stand-alone checker rejects the text, and return the checker's message."""
    (tmp_path / "c.json").write_text(text)
    status, out = run_program(tmp_path / "c.json", capsys, checker_of(WHOLE[name]))
    assert status == 1 and out.startswith("rejected: "), out
    return out


@ALL
def test_a_duplicate_field_is_rejected(name, tmp_path, capsys):
    """A duplicate field is rejected whatever its value, because another reader may use the other
    occurrence.
    """
    text = json.dumps(WHOLE[name])
    first = next(iter(WHOLE[name]))
    for number in range(1, text.count("{") + 1):
        spots = [i for i, c in enumerate(text) if c == "{"]
        i = spots[number - 1]
        field = json.loads("[" + text[i + 1 : text.index(":", i)] + "]")[0]
        twice = text[: i + 1] + json.dumps(field) + ": 0, " + text[i + 1 :]
        assert "twice" in rejected(tmp_path, capsys, twice, name)
    assert f"['{first}'" in rejected(
        tmp_path, capsys, text[:-1] + f', "{first}": {json.dumps(WHOLE[name][first])}}}', name
    )


@ALL
def test_an_unknown_or_missing_field_is_rejected(name):
    """Every object of the certificate is tested, except for those whose fields are symbols."""
    data = WHOLE[name]
    for path in paths_in(data):
        part = at(data, path)
        if not isinstance(part, dict) or path in (("stand",), ("boxes", "W"), ("dfa",)):
            continue
        assert judge(changed(data, (*path, "note"), "as I said")).why == "unexpected field: note", path
        for field in part:
            spoilt = changed(data, path, {key: value for key, value in part.items() if key != field})
            if (*path, field) not in MAY_BE_MISSING:
                assert judge(spoilt).verdict == "rejected", (path, field)
    for symbols in (("boxes", "W"), ("dfa",)):
        if symbols[0] in data:
            assert (
                judge(
                    changed(data, (*symbols, "note"), at(data, symbols)[next(iter(at(data, symbols)))])
                ).verdict
                == "rejected"
            )


@ALL
def test_a_value_of_another_type_is_rejected(name):
    """Replacements include True for 1, 1.0 for 1, a text for a list of symbols, null, an object, and a number
    for a text, at every path.
    """
    data = WHOLE[name]
    for path in paths_in(data)[1:]:
        old = at(data, path)
        loose = [None, {}, True, 1.0, float("nan"), str(old), 7, ["x"]]
        if isinstance(old, list):
            loose += ["".join(old)] if old and all(isinstance(x, str) for x in old) else []
            loose += [dict(enumerate(old)), tuple(old)]
        if isinstance(old, (int, float)):
            loose += [bool(old), float(old)]
        for new in loose:
            if type(new) is type(old) or (isinstance(new, str) and isinstance(old, str)):
                continue
            answer = judge(changed(data, path, new))
            assert answer.verdict == "rejected" and answer.why, (path, new)
            assert "malformed" not in answer.why, (path, new, answer.why)


@ALL
def test_a_missing_or_repeated_entry_is_rejected_with_a_message_or_still_true(name):
    """Mismatched shapes must not cause an internal error."""
    data = WHOLE[name]
    for path in paths_in(data):
        row = at(data, path)
        for short in (
            (row[1:], row[:-1], row + row[-1:], row[:1] + row) if isinstance(row, list) and row else ()
        ):
            answer = judge(changed(data, path, short))
            assert answer.verdict == "accepted" or "malformed" not in answer.why, (path, answer.why)


LOOSE = {
    "NaN": "must be integers",
    "Infinity": "must be integers",
    "-Infinity": "must be integers",
    "1.0": "must be integers",
    "1e5": "must be integers",
    "1e999999999": "must be integers",
    "9" * 10: "at most 9 characters",
    "9" * 10**7: "at most 9 characters",
    "-" + "9" * 5000: "at most 9 characters",
}


@pytest.mark.parametrize("number", LOOSE, ids=lambda text: text[:12])
@pytest.mark.parametrize(
    "name",
    ["equivalent-real", "different-max-plus", "hankel-gru", "follows-eq-2", "boxes-sr-elman-euclidean"],
)
def test_json_numbers_that_are_not_short_integers_are_rejected(name, number, tmp_path, capsys):
    assert LOOSE[number] in rejected(
        tmp_path, capsys, json.dumps(WHOLE[name])[:-1] + f', "note": {number}}}', name
    )


@ALL
def test_text_after_a_certificate_is_refused(name, tmp_path, capsys):
    (tmp_path / "c.json").write_text(json.dumps(WHOLE[name]) + " {}")
    assert run_program(tmp_path / "c.json", capsys, checker_of(WHOLE[name]))[0] == 2


NO_FRACTIONS = "nan inf -inf 0.5 1e3 +1 1/0 1/00 1/-2 --1 1_0 0x1 ٣ ² true 1/2/3"
WEIGHTS = {
    "real": [*NO_FRACTIONS.split(), " 1", "1 ", ""],
    "counting": ["-1", "1/2", "inf", "0.5", "1.0", "1e3"],
    "boolean": ["0", "1", "True", "", "1/1"],
    "max-plus": ["inf", "nan", "0.5", "true"],
    "min-plus": ["-inf", "nan", "0.5"],
    "max-times": ["-1", "inf", "-inf", "-1/2", "nan"],
}


@pytest.mark.parametrize("name", [name for name in SMALL if "A" in WHOLE[name]])
def test_a_weight_outside_the_semiring_is_rejected(name):
    """A weight is rejected wherever it is, even at an unreachable state or transition."""
    for side in "AB":
        data = WHOLE[name]
        for weight in WEIGHTS[data[side]["semiring"]]:
            for field, entry in (
                ("initial", [0, weight]),
                ("final", [0, weight]),
                ("transitions", [0, 0, data["A"]["alphabet"][0], weight]),
            ):
                answer = judge(changed(data, (side, field), [*data[side][field], entry]))
                assert answer.verdict == "rejected" and "malformed" not in answer.why, (
                    side,
                    field,
                    weight,
                    answer.why,
                )
                dead = {**data[side], "states": data[side]["states"] + 1}
                far = [x if isinstance(x, str) else dead["states"] - 1 for x in entry]
                assert judge({**data, side: {**dead, field: [*dead[field], far]}}).verdict == "rejected"


def test_negative_or_fractional_counts_are_rejected():
    """The weights of valid certificates become fractions or negative, under the name of the counting
    semiring.
    """
    for name in (
        "equivalent-real",
        "different-real",
        "minimal-real",
        "equivalent-real-epsilon",
        "equivalent-real-through-a-third",
    ):
        as_counts = json.loads(json.dumps(WHOLE[name]).replace('"real"', '"counting"'))
        assert judge(WHOLE[name]).verdict == "accepted" and "is not a count" in judge(as_counts).why


@pytest.mark.parametrize(
    "name",
    [name for name in SMALL if "A" in WHOLE[name] and WHOLE[name]["A"]["semiring"] in ("real", "counting")],
)
def test_fractions_and_counts_are_not_compared(name):
    """The semirings differ, which is allowed only if a real automaton is minimal for a counting one."""
    data = WHOLE[name]
    other = {"real": "counting", "counting": "real"}[data["B"]["semiring"]]
    mixed = changed(data, ("B", "semiring"), other)
    assert judge(mixed).verdict == "rejected" or data["claims"] == "minimal"


def test_automata_without_states_or_symbols_are_described_as_such():
    """Certificates of such automata are accepted, and the message describes the automata."""
    nothing = automaton(states=0, alphabet=[])
    data = {**EQUIVALENT, "A": nothing, "B": nothing, "through": "A"}
    answer = judge(data)
    assert answer.verdict == "accepted"
    assert answer.about["says"].count("(0 states, ") == 2
    assert "every string over [] the" in answer.about["says"]
    assert judge({**data, "claims": "minimal", "prefixes": [], "suffixes": []}).verdict == "accepted"
    assert judge({**data, "claims": "minimal", "prefixes": [[]], "suffixes": [[]]}).verdict == "rejected"
    boolean = {**nothing, "semiring": "boolean"}
    assert judge({**data, "A": boolean, "B": boolean}).verdict == "rejected"


NO_FLOATS = (
    "nan inf -inf infinity 0x1p99999 1 0x1.0p+1024 0x1.0000000000000p+1024 0x.8p+0 0x1.00000000000000p+0 ٣"
)


def test_floats_in_noncanonical_form_are_rejected():
    """Other spellings of the same number are also rejected, so that each network has a single
    digest.
    """
    data = WHOLE["boxes-sr-elman-euclidean"]
    one = at(data, ("network", "S", 0, 0))
    number = float.fromhex(one)
    others = [repr(number), one.upper(), " " + one, one.replace("0x", "0X"), f"+{one}", ""]
    for text in [*NO_FLOATS.split(), *others]:
        answer = judge(changed(data, ("network", "S", 0, 0), text))
        assert answer.verdict == "rejected" and "is not a finite float" in answer.why, text
    assert judge(changed(data, ("network", "S", 0, 0), one)).verdict == "accepted"


@pytest.mark.parametrize(
    "tau", ["0", "1/0", "-1", "-1/-2", "0.5", "1e-9", "nan", "inf", "٣", "1/2/3", " 1", "1 ", "", "9" * 401]
)
def test_a_temperature_is_a_positive_fraction(tau):
    answer = judge(changed(WHOLE["boxes-sr-elman-euclidean"], ("network", "temperature"), tau))
    assert answer.verdict == "rejected" and "temperature" in answer.why


@pytest.mark.parametrize("tau", ["1/" + "9" * 400, "9" * 400, "1/" + str(2**1074), str(2**1023)])
def test_extreme_temperatures_are_checked_or_rejected(tau):
    data = changed(WHOLE["boxes-sr-elman-euclidean"], ("network", "temperature"), tau)
    assert judge(data).verdict in ("accepted", "rejected")
    checker_of(data).about(data)  # the printed message


def huge() -> dict[str, str]:
    """Return small files that would need much time or memory to process, keyed by name."""
    certificates: dict[str, Any] = {}
    for name, path in (
        ("equivalent-real", ("A", "states")),
        ("equivalent-max-plus", ("B", "states")),
        ("hankel-gru", ("states",)),
        ("hankel-gru", ("units",)),
        ("hankel-gru", ("bits",)),
        ("hankel-gru", ("unit",)),
        ("follows-eq-2", ("states", 0)),
        ("boxes-sr-gru-dot", ("nodes", 0, "state")),
        ("boxes-sr-gru-dot", ("nodes", 0, "after", 0)),
        ("regions-rnn", ("nodes", 0, "state")),
        ("regions-rnn", ("nodes", 0, "next", 0)),
        ("regions-rnn", ("automaton", "start")),
    ):
        for number in (10**5, 999_999_999):
            certificates[f"{name} {path} {number}"] = changed(certificate(name), path, number)
    blank = automaton(states=99_999, alphabet=[f"x{i}" for i in range(9000)])
    certificates["many states and symbols"] = {**EQUIVALENT, "A": blank, "B": blank, "through": "A"}
    arrows = {**blank, "transitions": [[i, i + 1, x, "1"] for i, x in enumerate(blank["alphabet"])]}
    certificates["many states, and an arrow for each of many symbols"] = {
        **EQUIVALENT,
        "A": arrows,
        "B": arrows,
        "through": "A",
    }
    tropical = automaton("max-plus", 99_999, initial=[[0, "0"]], final=[[0, "0"]])
    gains = {**tropical, "transitions": [[0, 0, "", "1"], [1, 1, "", "1"]]}
    certificates["a silent way that gains for ever"] = {
        **EQUIVALENT,
        "A": gains,
        "B": gains,
        "pairs": [[[], []]],
    }
    line = {**tropical, "transitions": [[i, i + 1, "", "0"] for i in range(1000)], "final": [[1000, "0"]]}
    certificates["a long line of silent ways"] = {**EQUIVALENT, "A": line, "B": line, "pairs": [[[], []]]}
    arrow = [0, 0, "a", "7" * 50_000]
    grows = automaton("max-times", initial=[[0, "1"]], final=[[0, "0"]], transitions=[arrow])
    word = {"word": ["a"] * 10_000, "scores": ["1", "0"]}
    certificates["a score of half a billion digits"] = {
        **EQUIVALENT,
        "claims": "different",
        "A": grows,
        "B": {**grows, "initial": []},
        **word,
    }
    certificates["a weight of a million digits"] = changed(
        certificate("different-real"), ("A", "final", 0, 1), "7" * 1_000_001
    )
    long = certificate("hankel-gru")
    certificates["a string of a million letters"] = {**long, "prefixes": [[], ["a"] * 1_000_000]}
    certificates["the greatest precision"] = {**certificate("hankel-gru-2-units"), "bits": 2**16}
    many = [list(f"{i:08b}".replace("0", "a").replace("1", "b")) for i in range(256)]
    strings = {"prefixes": many, "suffixes": many}
    certificates["many states and a great precision"] = {
        **long,
        "states": 256,
        "claims": "at least 256 states",
        "bits": 2**16,
        **strings,
    }
    cold = certificate("follows-eq-2")
    certificates["a temperature near 0"] = changed(cold, ("boxes", "m"), "9" * 400)
    certificates["a network of many digits"] = changed(
        cold, ("boxes", "S"), [["7" * 400 + "/" + "3" * 399 + "1"] * 2] * 120
    )
    texts = {name: json.dumps(value) for name, value in certificates.items()}
    start = FILES["hankel-gru"].read_text().rstrip()[:-1]  # all checkers share the reader
    for nested in ("[" * 100_000 + "]" * 100_000, '{"a":' * 100_000 + "0" + "}" * 100_000):
        texts[f"100,000 {nested[0]}"] = f'{start}, "note": {nested}}}'
    texts["a number of ten million digits"] = f'{start}, "note": {"9" * 10**7}}}'
    texts["100,000 fields"] = start + "".join(f', "f{i}": 0' for i in range(100_000)) + "}"
    return texts


TRUE_OF_MANY = {
    "equivalent-real ('A', 'states') 100000",
    "equivalent-max-plus ('B', 'states') 100000",
    "many states and symbols",
    "many states, and an arrow for each of many symbols",
    "a temperature near 0",
}
"""Certificates whose claim holds: about automata with unreachable states, or automata compared with
themselves.
"""
ALONE = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
sys.path.insert(0, sys.argv[1])
from ratproof.checkers import check_bisimulation
from ratproof.checkers import check_boxes
from ratproof.checkers import check_certificate
from ratproof.checkers import check_hankel
from ratproof.checkers import check_invariant
from ratproof.checkers import check_regions
for name, path in zip(sys.argv[2::2], sys.argv[3::2]):
    print(vars()[name].main([path]), flush=True)
"""


def test_small_files_with_large_requirements_are_refused(tmp_path):
    """The checks use at most two gigabytes, and all of them together finish within the time limit."""
    texts, arguments = huge(), []
    for i, text in enumerate(texts.values()):
        (tmp_path / f"{i}.json").write_text(text)
        deep = "000 " in list(texts)[i]
        program = (
            "ratproof.checkers.check_hankel"
            if deep or "ten million" in list(texts)[i]
            else checker_of(json.loads(text)).__name__
        )
        arguments += [program.removeprefix("ratproof.checkers."), str(tmp_path / f"{i}.json")]
    command = [sys.executable, "-c", ALONE, str(Path(__file__).parents[2]), *arguments]
    both = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
    }  # a missing certificate is reported on standard error
    done = subprocess.run(command, **both, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout[-500:]
    answers = dict(zip(texts, done.stdout.splitlines()[::2], strict=True))
    assert {name for name, answer in answers.items() if answer.startswith("accepted: ")} == TRUE_OF_MANY
    assert not any("malformed" in answer for answer in answers.values()), answers


def mutated(data: Any, draw: Any) -> Any:
    """Draw a few changes of the certificate: entries exchanged, removed, repeated, moved or copied."""
    for _ in range(draw(st.integers(1, 3))):
        spots = [path for path in paths_in(data) if path]
        path = draw(st.sampled_from(spots))
        old = at(data, path)
        kind = draw(st.sampled_from(["other", "elsewhere", "nudge", "drop", "twice", "swap"]))
        if kind == "other":
            data = changed(
                data,
                path,
                draw(
                    st.sampled_from(
                        [0, 1, 2, True, None, "", "0", "1", "-1", "1/2", "a", "b", "inf", "A", "B", [], {}]
                    )
                ),
            )
        elif kind == "elsewhere":
            data = changed(data, path, copy.deepcopy(at(data, draw(st.sampled_from(spots)))))
        elif kind == "nudge" and isinstance(old, int):
            data = changed(data, path, old + draw(st.sampled_from([-1, 1])))
        elif kind == "nudge" and isinstance(old, str) and old.lstrip("-").isdecimal():
            data = changed(data, path, str(int(old) + draw(st.sampled_from([-1, 1]))))
        elif kind == "nudge" and isinstance(old, str) and "0x" in old:
            data = changed(
                data, path, (float.fromhex(old) * draw(st.sampled_from([-1, 0.5, 1.01, 1 + 2**-52]))).hex()
            )
        elif kind == "drop":
            data = copy.deepcopy(data)
            del at(data, path[:-1])[path[-1]]
        elif isinstance(at(data, path[:-1]), list):
            row = copy.deepcopy(at(data, path[:-1]))
            other = draw(st.integers(0, len(row) - 1))
            if kind == "twice":
                row.insert(other, copy.deepcopy(old))
            else:
                row[path[-1]], row[other] = row[other], row[path[-1]]
            data = changed(data, path[:-1], row) if path[:-1] else row
        assume(isinstance(data, dict))
    return data


PARTS = "network automaton boxes dfa epsilon cell units unit letters weights states"


def subject(data):
    """Return the subject of a certificate: its automata in sorted form and its claim, but no evidence."""
    if "A" in data:
        lists = ("alphabet", "initial", "final", "transitions")
        sides = [
            {field: sorted(value) if field in lists else value for field, value in data[side].items()}
            for side in "AB"
        ]
        return [sides, data.get("word"), data.get("scores")]
    return [data[part] for part in PARTS.split() if part in data]


@settings(max_examples=400)
@given(st.data())
def test_a_mutant_is_rejected_or_is_about_the_printed_subject(data):
    """Two accepted certificates print the same text iff they have the same subject, and every accepted claim
    is true.
    """
    name = data.draw(st.sampled_from(SMALL))
    mutant = mutated(WHOLE[name], data.draw)
    answer = judge(mutant)
    event(f"{checker_of(WHOLE[name]).__name__}: {answer.verdict}")
    assert answer.verdict in ("accepted", "rejected")
    if answer.verdict == "rejected":
        assert "malformed" not in answer.why, answer.why
        return
    before = judge(WHOLE[name])
    same = (answer.claims, subject(mutant)) == (before.claims, subject(WHOLE[name]))
    unordered = [
        {k: sorted(v) if k in ("alphabet", "letters") else v for k, v in x.about.items() if k != "says"}
        for x in (before, answer)
    ]
    assert (unordered[0] == unordered[1]) == same
    if "A" in mutant:
        assert holds(mutant), mutant
