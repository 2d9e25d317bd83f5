"""What was learnt is kept for the next process, and learnt again where anything it was learnt from has changed."""

from pathlib import Path

import pytest

from batuta.language.matching import SentenceClassifier, tokens_of
from batuta.language.trained_files import MAX_FILES, kept_classifier
from batuta.language.understanding import Intent, Slot

SENTENCES = {"tea": ("make me some tea", "a cup of tea please"), "coffee": ("I want a coffee", "brew coffee now")}
INTENTS = {label: Intent(id=label, examples={"en": texts}) for label, texts in SENTENCES.items()}


def trained() -> SentenceClassifier:
    return SentenceClassifier({label: [tokens_of(text) for text in texts] for label, texts in SENTENCES.items()})


def not_trained() -> SentenceClassifier:
    raise AssertionError("this should have been read from its file")


def test_a_second_process_reads_what_the_first_has_learnt(tmp_path: Path) -> None:
    first = kept_classifier(tmp_path, INTENTS, (), trained)
    second = kept_classifier(tmp_path, INTENTS, (), not_trained)
    asked = tokens_of("could I have a cup of coffee?")
    assert second.scores(asked) == first.scores(asked)
    assert second.knows("coffee")
    assert not second.knows("juice")


def test_another_example_is_learnt_anew(tmp_path: Path) -> None:
    kept_classifier(tmp_path, INTENTS, (), trained)
    more = {**INTENTS, "juice": Intent(id="juice", examples={"en": ("orange juice",)})}
    with pytest.raises(AssertionError, match="read from its file"):
        kept_classifier(tmp_path, more, (), not_trained)


def test_another_value_of_a_slot_is_learnt_anew(tmp_path: Path) -> None:
    """Values stand in the examples as markers: a new customer may change what they are read as."""
    kept_classifier(tmp_path, INTENTS, (Slot(name="size", type="choice", values={"large": ("big",)}),), trained)
    other = Slot(name="size", type="choice", values={"large": ("big", "huge")})
    with pytest.raises(AssertionError, match="read from its file"):
        kept_classifier(tmp_path, INTENTS, (other,), not_trained)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"labels": ["a"]}', "null"])
def test_a_damaged_file_is_written_again(tmp_path: Path, content: str) -> None:
    kept_classifier(tmp_path, INTENTS, (), trained)
    [path] = tmp_path.glob("*.json")
    path.write_text(content, encoding="utf-8")
    kept_classifier(tmp_path, INTENTS, (), trained)
    assert kept_classifier(tmp_path, INTENTS, (), not_trained).labels == ("tea", "coffee")


def test_a_folder_that_cannot_be_made_costs_only_time(tmp_path: Path) -> None:
    in_the_way = tmp_path / "file"
    in_the_way.write_text("", encoding="utf-8")
    assert kept_classifier(in_the_way / "language", INTENTS, (), trained).labels == ("tea", "coffee")


def test_old_files_are_removed(tmp_path: Path) -> None:
    for number in range(MAX_FILES + 3):
        some = {"tea": Intent(id="tea", examples={"en": (f"tea number {number}",)})}
        kept_classifier(tmp_path, some, (), trained)
    assert len(list(tmp_path.glob("*.json"))) == MAX_FILES
