"""Tests that HTML reports are complete, load nothing from the network, and escape all text from users."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ratproof
from automata.dfa import DFA
from automata.drawing import FEW_STATES
from automata.equivalence import Unknown
from automata.errors import OutputError
from automata.semirings import REAL
from automata.wfsa import WFSA
from proofs_tests.automata.commands import command
from ratproof import equivalent
from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Result
from ratproof.html.equivalence_page import equivalence_page
from ratproof.html.outcome_page import outcome_page
from ratproof.html.page import BAD, UNSURE, Finding, HtmlCell, HtmlPage, HtmlTable, document, fragment
from ratproof.ladder.outcome import Outcome

EXAMPLES = Path(ratproof.__file__).parent / "examples"
SCRIPT = "<script>alert(1)</script>"
VOID = {"meta", "path", "polygon", "ellipse", "polyline"}
TAGS = {
    *(
        "html",
        "head",
        "title",
        "body",
        "div",
        "style",
        "h1",
        "h2",
        "h3",
        "p",
        "pre",
        "span",
        "code",
        "article",
    ),
    *("table", "tr", "th", "td", "figure", "figcaption", "details", "summary", "svg", "g", "text", *VOID),
}


class Strict(HTMLParser):
    """A parser that requires all elements to be closed, and stores tags, attributes and text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str | None]] = []
        self.text: list[str] = []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text.append(data)


def read(text: str) -> Strict:
    """Parse the page, and assert that it has only known elements, unique identifiers, and nothing to load or
    run.
    """
    page = Strict(text)
    assert page.tags <= TAGS
    for name, value in page.attributes:
        assert not name.startswith("on") and name not in ("src", "href", "id")
        assert name.startswith("xmlns") or "://" not in (value or "")
    assert "url(" not in text and "@import" not in text
    return page


def dfa(symbols: tuple[str, ...], final: int) -> DFA:
    """Return a DFA of two states in which every symbol leads to the other state."""
    return DFA(symbols, 0, ((1,) * len(symbols), (0,) * len(symbols)), frozenset({final}))


@given(st.lists(st.text(min_size=1), min_size=1, max_size=3, unique=True), st.text())
def test_symbols_and_names_are_not_markup(symbols, name):
    one, other = (dfa(tuple(symbols), final).to_wfsa() for final in (0, 1))
    answer = equivalent(one, other)
    page = equivalence_page(answer, name, name, {name: one}, name)
    read(document(page))
    for shown in (answer._repr_html_(), dfa(tuple(symbols), 0)._repr_html_(), fragment(page)):
        read(shown)


@given(st.text(), st.text())
def test_no_text_of_a_report_is_markup(one, other):
    finding = Finding(one, other, one, other)
    table = HtmlTable(one, [other], [[HtmlCell(one), HtmlCell(other, BAD, code=True)]])
    page = read(document(HtmlPage(one, other, BAD, [one], other, [finding], [table])))
    assert "\x1b" not in "".join(page.text)


def test_a_script_as_a_symbol_is_escaped():
    one, other = (dfa((SCRIPT, "a"), final).to_wfsa() for final in (0, 1))
    html = document(equivalence_page(equivalent(one, other), "A.json", SCRIPT, {"A": one}, SCRIPT))
    assert "<script" not in html and SCRIPT in "".join(read(html).text)


def test_a_page_supports_phones_and_dark_mode():
    html = document(HtmlPage("title", "verdict", BAD))
    assert 'name="viewport"' in html and "prefers-color-scheme: dark" in html


def test_equivalent_writes_its_answer_and_its_command(in_tmp_path):
    a, b = str(EXAMPLES / "fading.json"), str(EXAMPLES / "typo.json")
    status, out, _ = command("equivalent", a, b, "--html", "report.html")
    page = read(Path("report.html").read_text(encoding="utf-8"))
    assert status == 1 and out.strip() in "".join(page.text)
    assert f"ratproof equivalent {a} {b} --html report.html" in page.text
    assert "svg" in page.tags


def test_an_unwritable_page_does_not_change_the_verdict(in_tmp_path, monkeypatch):

    def full(*arguments, **options):
        raise OutputError("report.html: cannot be written: no space left on device")

    monkeypatch.setattr("ratproof.html.page.write_whole", full)
    a = str(EXAMPLES / "fading.json")
    status, out, err = command("equivalent", a, a, "--html", "report.html")
    assert status == 4 and out.startswith("equivalent") and "no space left" in err
    assert not Path("report.html").exists()


def test_large_automata_are_not_drawn():
    n = FEW_STATES + 1
    ring = DFA(("a",), 0, tuple(((q + 1) % n,) for q in range(n)), frozenset({0})).to_wfsa(REAL)
    answer = equivalent(ring, ring)
    assert "svg" not in read(document(equivalence_page(answer, "A", "B", {"A": ring}, ""))).tags
    assert "<svg" not in answer._repr_html_()


def test_unknown_is_rendered_in_a_notebook():
    assert "a &lt;limit&gt; was reached" in Unknown("a <limit> was reached")._repr_html_()


def test_check_lists_each_result_with_a_command(in_tmp_path):
    file = str(EXAMPLES / "my_claim.py")
    status, _, _ = command("check", file, "--kind", "exhausted", "--html", "check.html", "--examples", "3")
    page = read(Path("check.html").read_text(encoding="utf-8"))
    assert status == 1 and "not as expected" in page.text and "svg" in page.tags
    assert f"ratproof check {file} bigrams-late --kind exhausted --examples 3" in page.text
    (replayed,) = [text for text in page.text if text.startswith("ratproof replay")]
    assert replayed.endswith(f" --claims {file}") and command(*replayed.split()[1:])[0] == 1


def test_verify_and_certify_and_results_write_pages(in_tmp_path):
    assert command("verify", "fa-rnn-viterbi", "--kind", "decided", "--html", "v.html")[0] == 0
    assert "as expected" in read(Path("v.html").read_text(encoding="utf-8")).text
    assert command("certify", str(EXAMPLES / "tomita-2.safetensors"), "--html", "c.html")[0] == 0
    certified = read(Path("c.html").read_text(encoding="utf-8"))
    assert "certified" in certified.text and "svg" in certified.tags
    assert command("results", "language", "--html", "r.html")[0] == 0
    assert "rrnn-b" in read(Path("r.html").read_text(encoding="utf-8")).text


def test_a_report_is_rendered_in_a_notebook(in_tmp_path):
    report = ratproof.verify("fa-rnn-viterbi", kinds="decided")
    page = read(report._repr_html_())
    assert "Results" in page.text and "html" not in page.tags


def test_a_report_of_a_thousand_rows_is_below_two_megabytes():
    results = [
        Result(
            "proposition-7", "printed", "sampled", "holds", Verdict.HOLDS, "torch", "cpu", None, cases=10**6
        )
        for _ in range(1012)
    ]
    html = document(
        outcome_page(Outcome(results), "verify", "", lambda result: f"ratproof verify {result.claim}")
    )
    assert read(html) and html.count("<tr>") == 1013 and len(html.encode()) < 2_000_000


def test_a_notebook_shows_html_beside_the_drawing():
    shown = WFSA(REAL, [1], [1], {"a": [["1/2"]]})._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html", "image/svg+xml"}
    assert shown["image/svg+xml"] in shown["text/html"]


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_a_drawing_is_a_picture(ending, tmp_path):
    file = tmp_path / f"fading.{ending}"
    status, out, _ = command("draw", str(EXAMPLES / "fading.json"), "-o", str(file), "--json")
    assert status == 0 and json.loads(out)["files"] == [str(file)]
    assert re.match(rb"\x89PNG|%PDF", file.read_bytes())


def test_the_mark_of_a_page_is_bad_if_a_verdict_is_refuted_beside_unknown_ones():
    refuted, unknown = (
        Result("proposition-7", "corrected", "sampled", "holds", verdict, "exact", None, 0)
        for verdict in (Verdict.REFUTED, Verdict.UNKNOWN)
    )
    assert outcome_page(Outcome([refuted, unknown]), "t").mark == BAD
    assert outcome_page(Outcome([unknown]), "t").mark == UNSURE
    assert outcome_page(Outcome([unknown], errors=["a worker died"]), "t").mark == BAD
