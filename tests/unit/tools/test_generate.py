"""What is generated from the catalogue is current, and made the same every time."""

from pathlib import Path

import pytest

from tools import generate, record
from tools.generate import ROOT, generated, main, stale


def test_every_generated_file_is_current() -> None:
    """E-1: drift fails. Run `python -m tools.generate` and commit what changed."""
    assert [str(path.relative_to(ROOT)) for path in stale()] == []


def test_generation_is_deterministic() -> None:
    assert generated() == generated()


def test_check_names_the_file_that_drifted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "docs" / "events.md"
    monkeypatch.setattr(generate, "ROOT", tmp_path)
    monkeypatch.setattr(generate, "generated", lambda: {target: "right"})
    assert main(["--check"]) == 1
    assert "docs/events.md is out of date" in capsys.readouterr().err
    assert not target.exists()
    assert main([]) == 0
    assert main(["--check"]) == 0
    target.write_text("wrong")
    assert main(["--check"]) == 1


def test_a_recording_is_never_written_over(tmp_path: Path) -> None:
    """E-4: recorded fixtures stay what they were."""
    first = record.record(tmp_path)
    kept = first[0]
    kept.write_text("as it was")
    assert record.record(tmp_path) == []
    assert kept.read_text() == "as it was"
