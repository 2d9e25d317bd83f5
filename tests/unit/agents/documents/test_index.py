"""The full-text index of the documents agent (A-10)."""

import os
from pathlib import Path

import pytest

from batuta.agents.documents.agent import SAMPLES
from batuta.agents.documents.index import DocumentIndex
from batuta.kernel.errors import ConfigurationError


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pay.md").write_text("# Pay\n\nSalaries are paid on the 25th of each month.\n")
    return folder


@pytest.fixture
def index(folder: Path, tmp_path: Path) -> DocumentIndex:
    return DocumentIndex(folder, tmp_path / "data" / "index.sqlite3")


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> DocumentIndex:
    return DocumentIndex(SAMPLES, tmp_path_factory.mktemp("data") / "index.sqlite3")


def files(index: DocumentIndex, question: str) -> list[str]:
    return [found.passage.file for found in index.search(question)]


@pytest.mark.parametrize(
    ("question", "file", "section"),
    [
        ("How much can I spend on meals?", "expense-policy.md", "Meals"),
        ("¿Cuánto se reembolsa en comidas?", "politica-de-gastos.md", "Comidas"),
        ("What does the Business plan cost?", "product-faq.md", "Plans and prices"),
        ("¿Cuántas vacaciones tengo?", "guia-de-bienvenida.md", "Vacaciones"),
        ("is the car park reserved?", "office-hours.txt", ""),
        ("medical certificate", "onboarding-guide.md", "Sick leave"),
    ],
)
def test_a_question_finds_the_section_that_answers_it(
    samples: DocumentIndex, question: str, file: str, section: str
) -> None:
    best = samples.search(question)[0]
    assert (best.passage.file, best.passage.section) == (file, section)
    assert best.relevance >= 0.5


@pytest.mark.parametrize("question", ["What is the capital of France?", "policy on pets", "¿Quién ganó el mundial?"])
def test_what_the_documents_do_not_say_is_not_relevant(samples: DocumentIndex, question: str) -> None:
    assert all(found.relevance < 0.5 for found in samples.search(question))


@pytest.mark.parametrize("question", ["", "???", "the of and", 'quote " OR NEAR(', "a* OR b)"])
def test_any_question_can_be_searched(samples: DocumentIndex, question: str) -> None:
    samples.search(question)


def test_a_new_file_is_found(index: DocumentIndex, folder: Path) -> None:
    assert files(index, "pension") == []
    (folder / "sub").mkdir()
    (folder / "sub" / "pension.txt").write_text("The pension is 5 percent.")
    assert files(index, "pension") == ["sub/pension.txt"]


def test_a_changed_file_is_read_again(index: DocumentIndex, folder: Path) -> None:
    assert files(index, "salaries") == ["pay.md"]
    (folder / "pay.md").write_text("# Pay\n\nWages are weekly.\n")
    os.utime(folder / "pay.md", ns=(1, 1))
    assert files(index, "salaries") == []
    assert files(index, "wages") == ["pay.md"]


def test_a_removed_file_is_forgotten(index: DocumentIndex, folder: Path) -> None:
    assert index.text("pay.md") is not None
    (folder / "pay.md").unlink()
    assert index.text("pay.md") is None
    assert files(index, "salaries") == []


def test_nothing_outside_the_folder_is_read(index: DocumentIndex, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret words")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert index.text("../secret.md") is None
    assert index.text("link.md") is None
    assert files(index, "secret words") == []


def test_other_kinds_of_files_are_left_alone(index: DocumentIndex, folder: Path) -> None:
    (folder / "picture.png").write_bytes(b"\x89PNG salaries")
    assert list(index.titles()) == ["pay.md"]


def test_bytes_that_are_no_text_do_not_stop_the_index(index: DocumentIndex, folder: Path) -> None:
    (folder / "broken.txt").write_bytes(b"caf\xe9 salaries")
    assert "broken.txt" in files(index, "salaries")


def test_a_missing_folder_is_a_mistake_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder of documents"):
        DocumentIndex(tmp_path / "nowhere", tmp_path / "i.sqlite3")
