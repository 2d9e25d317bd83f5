"""What the benchmarks say of their aims: judged, missed, or not judged; never more than was looked at."""

import json
import sys
from pathlib import Path

import pytest

from bench import agents, run, turns
from bench.tables import verdict

MET, MISSED = json.dumps({"case": "a", "met": True}), json.dumps({"case": "b", "met": False})


@pytest.mark.parametrize(
    ("printed", "said", "code"),
    [
        ({"pipelines": [MET], "agents": ["a table", verdict(0)]}, "every aim that was judged is met", 0),
        ({"pipelines": [MET], "load": ["a table"]}, "every aim that was judged is met; not judged: load", 0),
        ({"load": ["a table"]}, "not judged: load", 0),
        ({"pipelines": [MET, MISSED], "load": ["a table"]}, "aims missed: pipelines 1; not judged: load", 1),
        ({"pipelines": [MET], "agents": ["a table", verdict(2)]}, "aims missed: agents 2", 1),
    ],
)
def test_a_run_says_what_was_judged_and_fails_if_an_aim_was_missed(
    printed: dict[str, list[str]],
    said: str,
    code: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(run, "measured", printed.__getitem__)
    monkeypatch.setattr(run, "FOLDER", tmp_path)
    monkeypatch.setattr(run, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sys, "argv", ["bench.run", *printed])
    assert run.main() == code
    assert capsys.readouterr().out.splitlines()[-1] == said


def test_agents_and_turns_judge_the_row_that_has_an_aim() -> None:
    costs = {"text": 149.0, "correction": 301.0, "tools": 450.0}
    rows = [
        {"who": who, "case": case, "microseconds": costs[case]}
        for who in ("by hand", "batuta, observed")
        for case in costs
    ]
    assert agents.missed(rows) == 1
    ours, peer = {"who": "batuta, memory", "microseconds": 160.0}, {"who": "langchain 1, bare", "microseconds": 100.0}
    assert turns.missed([ours, peer]) == 1
    assert turns.missed([{**ours, "microseconds": 150.0}, peer]) == 0
    assert turns.missed([ours]) is None, "without a peer there is nothing to compare with"
