"""Documents as passages with sections and lines."""

from batuta.agents.documents.passages import MAX_PASSAGE_CHARS, passages_of, section_at, title_of

TEXT = """# Handbook

Hello.

## Pay

Paid on the 25th.

- one
- two

```
# no heading
```

## Leave
Ask first.
"""


def test_paragraphs_of_a_section_stand_together_with_their_first_line() -> None:
    found = [(p.section, p.first_line, p.place) for p in passages_of("a.md", TEXT)]
    assert found == [("", 3, "l. 3"), ("Pay", 7, "Pay, l. 7"), ("Leave", 17, "Leave, l. 17")]


def test_a_heading_inside_code_is_no_heading() -> None:
    assert "# no heading" in passages_of("a.md", TEXT)[1].text


def test_a_long_section_is_divided_between_paragraphs() -> None:
    text = "# T\n\n" + "\n\n".join(f"{n} " + "word " * 60 for n in range(12))
    passages = passages_of("a.md", text)
    assert len(passages) > 1
    assert all(len(p.text) <= MAX_PASSAGE_CHARS for p in passages)
    assert sum(p.text.count("word") for p in passages) == 12 * 60


def test_the_title_is_a_heading_or_the_first_line_of_a_text_or_the_file() -> None:
    assert title_of("a.md", TEXT) == "Handbook"
    assert title_of("hours.txt", "\nOffice hours\n\nOpen.") == "Office hours"
    assert title_of("notes/b.md", "just words") == "b"


def test_a_line_knows_its_section() -> None:
    assert section_at(TEXT, 9) == "Pay"
    assert section_at(TEXT, 3) == ""


def test_an_empty_document_has_no_passages() -> None:
    assert passages_of("a.md", "") == []
