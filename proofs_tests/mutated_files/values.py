"""What mutations put where something else is expected."""

from __future__ import annotations

from typing import Any

from proofs_tests.mutated_files.json_text import Raw

NUMBERS = (
    "1/0", "1/0", "0", "0", "-0", "1", "-1", "-1", "2", "1/2", "0/0", "-1/3", "1/-2", "nan", "NaN", "inf", "-inf", "Infinity", "1e999999999",
    "1e-999999999",    "1e400", "1e5000", "9" * 5000, "٣", "１", "1_000", "0x10", " 1", "1 ", "1\n", "+1", ".5", "5.", "1e", "1,5",
    "½", "true", "false", "",
    "-", "1/2/3", "0.1", "1e10", "00", "01",
)  # fmt: skip
NUMBERS += 3 * ("1_000", "٣", "１", " 1", "1 ", "1\n")
"""Texts where a number is expected; those most often that Python reads as one, and a file's number is none."""
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 7, 1.5, -0.0, 10**9, 2**31, 2**63, 2**64, -(2**63), 10**30, "", "x", "a", "0", "\x1b[31m", "é", "\ud800",
    "x" * 300, "a\nb", "[/x]", "[bold]", [], {}, [[]], [[[1]]], [None], ["a"], [1, 2, 3], {"a": 1}, {"": None},
    Raw("1e400"), Raw("-1e400"), Raw("NaN"), Raw("Infinity"),
    Raw("-Infinity"), Raw("1" * 5000), Raw("[" * 3000 + "]" * 3000), Raw("nul"), Raw("'a'"), Raw(""),
)  # fmt: skip
"""Values where another one is expected."""
KEYS = ("", "x", "a", "b", "z", "ab", "\x1b[2J", "é", "[/x]", "states", "alphabet", "format", "claims", "way", "network", "size")
SNIPPETS = (
    b"", b"\0", b"\xff", b"\xc3\x28", b"\xef\xbb\xbf", b"\n", b"\r\n", b"\t", b" ", b"\x0c", b"\x1c", b"\xe2\x80\xa8", b"\xc2\x85",
    b"\x1b[2J", b'"', b"{", b"}", b"[", b"]", b"\\", b"/", b"//", b"#", b"\x80\x04",
    b"PK\x03\x04", b"-", b".", b"e", b"9", b"0" * 50, b"\xed\xa0\x80",
)  # fmt: skip
TOKENS = (
    *NUMBERS, "(", ")", "( )", "|", "*", "+", "?", "{2,3}", "{3,2}", "{0}", "{", "{300}", "{2,}", "{1000000000}",
    "{" + "9" * 5000 + "}", "a" + "*" * 500, "$", "%", "&", "!", "\\", "\\$",
    "[x]", "[/x]", "[ ]", "[x", "//", "BOS", "EOS", "a", "zzz", "<eps>", "<epsilon>", "\x1b[2J", "\u202e", "e\u0301", "\x00", "\ufeff",
)  # fmt: skip
"""Words where others are expected."""
