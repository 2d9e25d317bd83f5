"""What the benchmarks say of their aims: judged, missed, or not judged; never more than was looked at."""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bench import agents, load, run, streaming, turns
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


def test_agents_are_judged_beside_the_fastest_peer_of_each_case() -> None:
    cases = ("text", "correction", "tools")
    peers = {"agent-framework-core 1": (100.0, 200.0, 300.0), "langchain 1": (500.0, 150.0, 900.0)}
    ours = {
        "by hand": (1.0, 1.0, 1.0),
        "batuta, observed": (70.0, 106.0, 210.0),
        "batuta, recorded": (140.0, 1.0, 421.0),
    }
    rows = [
        {"who": who, "case": case, "microseconds": cost}
        for who, costs in {**ours, **peers}.items()
        for case, cost in zip(cases, costs, strict=True)
    ]
    assert agents.missed(rows) == 2, "observed in the case of a correction, recorded in that of tools"
    assert agents.missed(rows[:9]) is None, "without a peer there is nothing to compare with"


def test_turns_are_judged_beside_the_way_of_the_peer_that_their_aim_names() -> None:
    bare, kept = (
        {"who": f"langchain 1, {way}", "microseconds": cost} for way, cost in (("bare", 100.0), ("checkpointed", 120.0))
    )
    memory, sqlite, postgres = (
        {"who": f"batuta, {backend}", "microseconds": cost}
        for backend, cost in (("memory", 150.0), ("sqlite", 121.0), ("postgres", 120.0))
    )
    assert turns.missed([memory, sqlite, postgres, bare, kept]) == 1
    assert turns.missed([memory, postgres, bare, kept]) == 0
    assert turns.missed([{**memory, "microseconds": 151.0}, bare]) == 1
    assert turns.missed([memory, sqlite, postgres]) is None, "without a peer there is nothing to compare with"


def test_load_judges_the_times_that_have_an_aim_by_their_tail() -> None:
    """A median within it is not enough, and a figure without an aim is no verdict."""
    slow_tail, quick = [0.01] * 18 + [0.5] * 2, [0.01] * 20
    lines = [load.times("pages", slow_tail, 100), load.times("pages", quick, 100), load.Line("turns", "21 /s")]
    assert (load.missed(lines), load.missed(lines[1:]), load.missed(lines[2:])) == (1, 0, None)
    assert [str(line).split()[-1] for line in lines] == ["MISSED", "met", "/s"]
    assert "aim < 100 ms" in str(lines[0])


def test_load_judges_turns_by_the_aims_of_their_mode() -> None:
    quick = [dict.fromkeys(("accepted", "first event", "first of the team", "end"), 0.02)] * 100
    slow = [{**quick[0], "end": 0.05}] * 10
    embedded = load.TURN_AIMS["embedded"]
    assert load.missed(load.turn_lines(quick, quick[:10], 1.0, {"web": 1.0}, 0.0, embedded)) == 0
    assert load.missed(load.turn_lines(quick, slow, 2.0, {"web": 1.0}, 0.0, embedded)) == 2
    distributed, used = load.TURN_AIMS["distributed"], {"web": 1.0, "worker": 2.0, "postgres": 1.1}
    assert load.missed(load.turn_lines(quick, slow, 2.0, used, 0.0, distributed)) == 1, "41 ms of CPU in all"
    assert load.missed(load.turn_lines(quick, slow, 2.0, {"web": 1.0}, 0.0, distributed)) == 0


def test_streaming_judges_cpu_and_latency_beside_the_peer() -> None:
    peer = streaming.Cost(16.0, 20.0)
    assert streaming.missed({"batuta": streaming.Cost(16.0, 20.0), "agno": peer}) == 0
    assert streaming.missed({"batuta": streaming.Cost(15.0, 21.0), "agno": peer}) == 1
    assert streaming.missed({"batuta": streaming.Cost(1.0, 1.0)}) is None


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


def test_a_process_that_has_ended_does_not_end_the_measurement() -> None:
    """A database server starts and ends processes of its own while it is measured."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    process = psutil.Process(ended.pid)
    ended.wait()
    assert load._cpu(process) == 0.0
    assert load._cpu(psutil.Process()) > 0.0
