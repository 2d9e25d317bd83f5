"""`batuta files`: an account's files from the terminal (P-34)."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from batuta.cli.app import app
from tests.support.made_files import a_pdf


def batuta(*words: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, list(words))
    return result.exit_code, result.output


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A platform with one account."""
    folder = tmp_path / "data"
    monkeypatch.setenv("BATUTA_DATA_DIR", str(folder))
    assert batuta("user", "add", "ana@example.com")[0] == 0
    return folder


def test_a_file_is_added_found_and_removed(data_dir: Path, tmp_path: Path) -> None:
    lease = tmp_path / "lease.pdf"
    lease.write_bytes(a_pdf(["The penguin clause costs 40 euros."]))
    assert batuta("files", "list")[1].startswith("There are no files")
    code, said = batuta("files", "add", str(lease), "--folder", "contracts")
    assert (code, said.strip()) == (0, "✓ contracts/lease.pdf")
    listed = json.loads(batuta("files", "list", "--json")[1])
    assert [(each["name"], each["folder"], each["status"]) for each in listed] == [("lease.pdf", "contracts", "ready")]
    found = json.loads(batuta("files", "search", "penguin clause", "--json")[1])
    assert [(each["file"], each["place"]) for each in found] == [("contracts/lease.pdf", "p. 1")]
    assert batuta("files", "remove", "contracts/lease.pdf") == (0, "contracts/lease.pdf is deleted\n")
    assert "Nothing was found" in batuta("files", "search", "penguin clause")[1]
    assert not list((data_dir / "files" / "blobs").rglob("*.*"))


def test_a_file_that_cannot_be_read_says_what_to_do(data_dir: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 nothing more")
    code, said = batuta("files", "add", str(broken))
    assert code == 1
    assert "✗ broken.pdf" in said
    assert "save it anew" in said
    assert batuta("files", "retry", "broken.pdf")[0] == 1


def test_whose_files_has_to_be_said_where_there_are_several(data_dir: Path) -> None:
    assert batuta("user", "add", "ben@example.com")[0] == 0
    code, said = batuta("files", "list")
    assert code == 2
    assert "--user EMAIL" in said
    assert batuta("files", "list", "--user", "ben@example.com")[0] == 0
    code, said = batuta("files", "remove", "nothing.txt", "--user", "ben@example.com")
    assert code == 1
    assert "There is no file nothing.txt" in said
