"""Tests that commands print their results if the limit on their time leaves too little for Coq."""

import json

import pytest

from proofs_tests.coq.conftest import require_libraries
from ratproof import main
from ratproof.coq import programs as coq
from ratproof.coq import reals


@pytest.mark.parametrize(
    ("command", "result"),
    [
        ("certify tomita-2.safetensors", {"verdict": "certified"}),
        ("equivalent fading.json parity.json", {"verdict": "equivalent"}),
        ("not-rational lstm --size 3", {"states": 3}),
    ],
)
def test_the_result_is_printed_without_a_theorem(command, result, in_tmp_path, tmp_path, capsys, monkeypatch):
    require_libraries(reals.BOXES)
    main.run(["examples", "."])
    capsys.readouterr()
    monkeypatch.setattr(coq, "seconds_left", lambda: coq.TIME_TO_ANSWER)
    assert main.run([*command.split(), "--kernel-file", "theorem.v", "--json"]) == 0
    output = capsys.readouterr()
    answer = json.loads(output.out)
    assert answer | result == answer and answer["kernel"] is None
    assert "theorem.v is not written: Coq needs more time than --limit-seconds allows" in output.err
    assert not (tmp_path / "theorem.v").exists()
