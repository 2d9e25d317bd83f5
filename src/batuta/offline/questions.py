"""What kind of thing a text asks for, by how it is put: a question, something to read about, a fact, one's own.

Pure.
"""

import re

from batuta.language.folding import fold

_QUESTION = re.compile(
    r"\?|^\W*(?:(?:a|en|de|con|para|por|desde|hasta|sobre|cada|on|since|from|for|with|by|until|to|at|in)\s+(?:que|quien(?:es)?|cual(?:es)?|cuant[oa]s?|cuando|donde|what|which|whom?|when|how)|what|which|who|whom|whose|when|where|why|how|is|are|do|does|did|can|could|may|should|will|que|cual|cuales|quien|"
    r"quienes|cuando|donde|como|cuant[oa]s?|por\s+que|puedo|puede|hay|es|son|(?:vale|sirve|basta)\s+(?:con\s+)?(?:un|una|el|la)|tengo|tenemos|se\s+puede|(?:me|nos|se)\s+(?:pag|reembols|devuelv|cubr|permit|abon|guard|aplic|acept)\w*|a\s+quien|en\s+que|hasta\s+cuando)\b"
)
_LOOKED_UP = re.compile(
    r"^\W*(?:(?:the|el|la|los|las) )?\w+(?: \w+)? (?:of|for|de|del|para) \w"
    r"|^\W*(?:summari[sz]e|compare|resum(?:e|eme|enos|en)|compara(?:me|nos)?)\b"
    r"|^\W*(?:list|enumerate|lista|enumera) (?:me )?(?:all|every|the|tod[oa]s|los|las)\b"
    r"|^\W*(?:make|give me|haz(?:me)?|dame) (?:an?|una?) (?:list|lista|listado) (?:of|de|con)\b|\b(?:[a-z]{1,4}-?\d{2,}|[a-z]\d)\b"
)
"""What asks for something to read though it is no question: "price of the full service", "resume el acta"; or names a
code, which only documents explain.
"""
_CODE = re.compile(r"\b(?:[a-z]{1,4}-?\d{2,}|[a-z]\d)\b")
_ASKS_A_FACT = re.compile(r"\b(?:how (?:many|much|long|often)|who|when|where|cuant[oa]s?|quien(?:es)?|cuando|donde)\b")
"""What no picture answers: "how much is a half plot?"."""
_ASKS_WHAT = re.compile(
    r"\b(?:what|which|que|cual(?:es)?)\s+(?:is|are|was|were|do|does|did|es|son|era|eran|fue|dice|pone|cuesta)\b"
)
"""What a picture seldom answers: "what is the rent of a half plot?" names a thing."""
_OF_ONESELF = re.compile(r"\b(?:i|my|me|mine|we|our|mi|mis|tengo|tenemos|estoy|como|quedo)\b")
"""What is one's own stands in one's calendar: "when is my dentist appointment?"."""
_OPENS_A_QUESTION = re.compile(_QUESTION.pattern.partition("|")[2])


def is_question(text: str) -> bool:
    return _QUESTION.search(fold(text)) is not None


def opens_a_question(text: str) -> bool:
    """Whether a text begins as a question does, be there a question mark or not."""
    return _OPENS_A_QUESTION.search(fold(text)) is not None


def is_looked_up(text: str) -> bool:
    """Whether documents may answer a text: a question, or the name of something to be read about."""
    return is_question(text) or _LOOKED_UP.search(fold(text)) is not None


def names_a_code(text: str) -> bool:
    return _CODE.search(fold(text)) is not None


def asks_a_fact(text: str) -> bool:
    return _ASKS_A_FACT.search(fold(text)) is not None


def asks_what(text: str) -> bool:
    return _ASKS_WHAT.search(fold(text)) is not None


def is_of_oneself(text: str) -> bool:
    return _OF_ONESELF.search(fold(text)) is not None
