"""What a question finds in the folder of the installation (A-10)."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from batuta.agents.documents import SAMPLES, DocumentLibrary
from batuta.agents.documents.agent import folder_library
from batuta.agents.documents.library import own_words, owner_of
from batuta.kernel.errors import ConfigurationError
from batuta.kernel.users import ANONYMOUS_USER, ToolUser
from batuta.knowledge.disagree import Statement
from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument
from batuta.knowledge.retrieve import RetrievedPassage
from tests.support.made_files import a_pdf


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "pay.md").write_text("# Pay\n\nSalaries are paid on the 25th of each month.\n")
    return folder


@pytest.fixture
async def library(folder: Path, tmp_path: Path) -> AsyncIterator[DocumentLibrary]:
    library = folder_library(folder, tmp_path / "data")
    yield library
    await library.index.close()


@pytest.fixture
async def samples(tmp_path: Path) -> AsyncIterator[DocumentLibrary]:
    library = folder_library(SAMPLES, tmp_path)
    yield library
    await library.index.close()


async def found(library: DocumentLibrary, question: str) -> list[RetrievedPassage]:
    return await library.search([question], library.scope(ANONYMOUS_USER, {}), limit=5)


async def files(library: DocumentLibrary, question: str) -> list[str]:
    assert library.folder is not None
    await library.folder.sync()
    return [each.passage.name for each in await found(library, question)]


@pytest.mark.parametrize(
    ("question", "file", "section"),
    [
        ("How much can I spend on meals?", "expense-policy.md", "Meals"),
        ("¿Cuánto se reembolsa en comidas?", "politica-de-gastos.md", "Comidas"),
        ("What does the Business plan cost?", "product-faq.md", "Plans and prices"),
        ("¿Cuántas vacaciones tengo?", "guia-de-bienvenida.md", "Vacaciones"),
        ("is the car park reserved?", "office-hours.txt", ""),
        ("medical certificate", "onboarding-guide.md", "Sick leave"),
        ("¿A qué hora cierra la oficina?", "office-hours.txt", ""),
    ],
)
async def test_a_question_finds_the_section_that_answers_it(
    samples: DocumentLibrary, question: str, file: str, section: str
) -> None:
    best = (await found(samples, question))[0]
    assert (best.passage.name, best.passage.headings[-1] if best.passage.headings else "") == (file, section)
    assert best.relevance >= 0.5


@pytest.mark.parametrize("question", ["What is the capital of France?", "policy on pets", "¿Quién ganó el mundial?"])
async def test_what_the_documents_do_not_say_is_not_relevant(samples: DocumentLibrary, question: str) -> None:
    assert all(each.relevance < 0.5 for each in await found(samples, question))


async def test_a_new_file_is_found(library: DocumentLibrary, folder: Path) -> None:
    assert await files(library, "pension") == []
    (folder / "sub").mkdir()
    (folder / "sub" / "pension.txt").write_text("The pension is 5 percent.")
    (folder / "scheme.pdf").write_bytes(a_pdf(["The retirement scheme of the company."]))
    assert await files(library, "pension") == ["sub/pension.txt"]
    assert await files(library, "retirement scheme") == ["scheme.pdf"]


async def test_a_changed_file_is_read_again(library: DocumentLibrary, folder: Path) -> None:
    assert await files(library, "salaries") == ["pay.md"]
    (folder / "pay.md").write_text("# Pay\n\nWages are weekly.\n")
    os.utime(folder / "pay.md", ns=(1, 1))
    assert await files(library, "twenty-fifth 25th") == []
    assert await files(library, "weekly") == ["pay.md"]


async def test_a_removed_file_is_forgotten(library: DocumentLibrary, folder: Path) -> None:
    assert await library.named("pay.md", library.scope(ANONYMOUS_USER, {}))
    (folder / "pay.md").unlink()
    assert await files(library, "salaries") == []
    assert await library.named("pay.md", library.scope(ANONYMOUS_USER, {})) == []


async def test_nothing_outside_the_folder_is_read(library: DocumentLibrary, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("secret words")
    (folder / "link.md").symlink_to(tmp_path / "secret.md")
    assert await files(library, "secret words") == []
    assert await library.named("../secret.md", library.scope(ANONYMOUS_USER, {})) == []


async def test_a_file_that_cannot_be_read_does_not_stop_the_others(library: DocumentLibrary, folder: Path) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.4 nothing more")
    (folder / "latin.txt").write_bytes(b"caf\xe9 salaries")
    assert set(await files(library, "salaries")) == {"pay.md", "latin.txt"}
    assert library.folder is not None
    assert list(library.folder.failures) == ["broken.pdf"]


def test_a_missing_folder_is_a_mistake_of_configuration(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no folder of documents"):
        folder_library(tmp_path / "nowhere", tmp_path)


async def test_what_a_person_brought_answers_before_the_samples(samples: DocumentLibrary) -> None:
    """And alone: a sample that says otherwise contradicts nobody's own document."""
    text = "# Sick leave\n\nA medical certificate is needed from the eighth day on.\n"
    content = read(text.encode(), "own.md", max_chars=1_000)
    own = IndexedDocument(document_id="own", owner=owner_of("ana"), name="own.md", content=content)
    await samples.index.put(own)
    scope = samples.scope(ToolUser(id="ana"), {})
    asked = "When is a medical certificate needed?"
    assert [each.passage.name for each in await samples.search([asked], scope, limit=5)] == ["own.md"]
    statement = Statement(
        document_id="own", name="own.md", text="A medical certificate is needed from the eighth day on."
    )
    assert await samples.contradicted(statement, scope) == []
    hotels = await samples.search(["How much may a hotel in London cost?"], scope, limit=5)
    assert hotels[0].passage.name == "travel-policy.md"


async def test_a_message_of_a_person_without_documents_is_not_taken_apart(
    library: DocumentLibrary, monkeypatch: pytest.MonkeyPatch
) -> None:
    lease = read(b"The rent of a half plot is 40 euros a month.\n", "lease.md", max_chars=1_000)
    await library.index.put(IndexedDocument(document_id="lease", owner=owner_of("ana"), name="lease.md", content=lease))
    assert await own_words(library.index, "ana", "What is the rent of a half plot?") is not None
    monkeypatch.setattr("batuta.agents.documents.library.Retriever", None)
    assert await own_words(library.index, "ben", "What is the rent of a half plot?") is None
