"""What the benchmarks say of their aims: judged, missed, or not judged; never more than was looked at."""

import json
import sys
from pathlib import Path

import pytest

from bench import agents, load, run, turns
from bench.tables import verdict

MET, MISSED = json.dumps({"case": "a", "met": True}), json.dumps({"case": "b", "met": False})


@pytest.mark.parametrize(
    ("printed", "said", "code"),
    [
        ({"pipelines": [MET], "agents": ["a table", verdict(0)]}, "every aim that was judged is met", 0),
        ({"pipelines": [MET], "turns": ["a table"]}, "every aim that was judged is met; not judged: turns", 0),
        ({"turns": ["a table"]}, "not judged: turns", 0),
        ({"pipelines": [MET, MISSED], "turns": ["a table"]}, "aims missed: pipelines 1; not judged: turns", 1),
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


def test_load_judges_the_times_that_have_an_aim_by_their_tail() -> None:
    """A median within it is not enough, and a figure without an aim is no verdict."""
    slow_tail, quick = [0.01] * 18 + [0.5] * 2, [0.01] * 20
    lines = [load.times("pages", slow_tail, 100), load.times("pages", quick, 100), load.Line("turns", "21 /s")]
    assert (load.missed(lines), load.missed(lines[1:]), load.missed(lines[2:])) == (1, 0, None)
    assert [str(line).split()[-1] for line in lines] == ["MISSED", "met", "/s"]
    assert "aim < 100 ms" in str(lines[0])


def test_a_load_that_missed_an_aim_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What the part prints last is what the run judges it by."""

    async def measure(zygote: object, mode: str, parts: object) -> list[load.Line]:
        return [load.times(mode, [0.5] * 20, 100), load.times(mode, [0.01] * 20, 100)]

    class Idle:
        def __init__(self, modules: object) -> None: ...

        def close(self) -> None: ...

    monkeypatch.setattr(load, "measure", measure)
    monkeypatch.setattr(load, "Zygote", Idle)
    monkeypatch.setattr(sys, "argv", ["bench.load"])
    load.main()
    assert run.judged("load", capsys.readouterr().out.splitlines()) == len(load.MODES)
