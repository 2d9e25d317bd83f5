"""A mistyped word stands for the one of the documents that is a slip away, and for no other word (P-35)."""

from pathlib import Path

import pytest

from batuta.knowledge.extract.reading import read
from batuta.knowledge.index import IndexedDocument, SearchScope
from batuta.knowledge.retrieve import Retriever
from batuta.knowledge.spelling import is_slip, meant_by
from batuta.knowledge.sqlite_index import SqlitePassageIndex


@pytest.mark.parametrize(
    ("typed", "known", "meant"),
    [
        ("croisant", ["croissant", "cruz"], "croissant"),
        ("commitee", ["committee"], "committee"),
        ("weding", ["wed"], "wedding"),
        ("rejiya", ["rejill"], "rejilla"),
        ("shoud", ["shout"], "should"),
        ("lunas", ["lunes"], ""),
        ("platinum", ["plate", "plain"], ""),
        ("barril", ["barra"], ""),
        ("perro", ["perfil"], ""),
    ],
)
def test_one_slip_is_mended_and_another_word_left_alone(typed: str, known: list[str], meant: str) -> None:
    assert meant_by(typed, known) == meant


def test_a_slip_is_one_letter() -> None:
    assert is_slip("recieve", "receive")
    assert is_slip("temparature", "temperature")
    assert not is_slip("casa", "cosa")
    assert not is_slip("committee", "committee")


async def test_only_words_that_stand_nowhere_are_read_otherwise(tmp_path: Path) -> None:
    index = SqlitePassageIndex(tmp_path / "index.sqlite3")
    text = "# Tarifa\n\nEl croissant de mantequilla cuesta 1,60 euros en la tienda."
    content = read(text.encode(), "tarifa.md", max_chars=10_000)
    await index.put(IndexedDocument(document_id="1", owner="ana", name="tarifa.md", content=content))
    retriever, scope = Retriever(index), SearchScope(owners=("ana",))
    assert await retriever.spelt("¿Cuánto vale el croisant en tienda?", scope) == {"croisant": "croissant"}
    assert await retriever.spelt("¿Cuánto vale el croissant?", scope) == {}
    assert await retriever.spelt("¿Cuánto vale el croisant?", SearchScope(owners=("luis",))) == {}
    await index.close()
