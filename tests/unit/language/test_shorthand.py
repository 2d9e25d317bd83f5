"""What people shorten on a phone is spelled out; what only looks like it is left."""

import pytest

from batuta.language.colloquial import spelled_out
from batuta.language.findings import Language


@pytest.mark.parametrize(
    ("language", "text", "full"),
    [
        ("en", "shedule a meeting on wendsday", "schedule a meeting on Wednesday"),
        ("en", "waht are our salles by contry", "what are our sales by country"),
        ("en", "lunch w marta fri 1pm", "lunch with marta Friday 1pm"),
        ("en", "wat hav i got thurs", "what have i got Thursday"),
        ("en", "paddle sat 11-12:30", "paddle Saturday 11-12:30"),
        ("en", "sales oct", "sales October"),
        ("en", "move tomorrows demo to 4", "move tomorrow's demo to 4"),
        ("en", "cancel mondays standup", "cancel monday's standup"),
        ("en", "book yoga mondays at 7", "book yoga mondays at 7"),
        ("en", "who hasnt paid", "who hasn't paid"),
        ("es", "q tengo el jue", "que tengo el jueves"),
        ("es", "libre vie x la tarde?", "libre viernes por la tarde?"),
        ("es", "el 1 d enero d 2000", "el 1 de enero de 2000"),
    ],
)
def test_shortened_words_are_spelled_out(language: Language, text: str, full: str) -> None:
    assert spelled_out(text, language) == full


@pytest.mark.parametrize("text", ["46 x 12", "the cat sat", "Plan B", "i'd like tea", "R&D costs", "what's 3 d 4"])
def test_what_only_looks_shortened_is_left(text: str) -> None:
    assert spelled_out(text) == text
