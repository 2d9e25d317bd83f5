"""Words of a text as a search engine compares them: Snowball stems, folded, English and Spanish (A-12).

Passages are stemmed in their own language, questions in both: one index holds both languages.
"""

import re
import threading
import unicodedata
from collections.abc import Iterable
from typing import Literal

import Stemmer

Language = Literal["en", "es"]

_TOKEN = re.compile(r"\d+(?:[.,]\d+)+|[^\W_]+")
_SEPARATOR = re.compile(r"[.,]")
_ALGORITHMS: dict[Language, str] = {"en": "english", "es": "spanish"}
_LOCAL = threading.local()

_SMALL: dict[Language, str] = {
    "en": (
        "a about above after again against all also am an and any are aren as at be because been before being below "
        "between both but by can cannot could did didn do does doesn doing don down during each either else ever "
        "every few for from further get gets had has hasn have haven having he her here hers him his how however i "
        "if in into is isn it its itself just let like ll long many may me might mine more most much must my no nor "
        "not of off often on once one only or other our ours out over own per please re s same shall she should so "
        "some such t than that the their them then there these they this those through to too under until up upon "
        "us ve very was wasn we were what when where whether which while who whom whose why will with within "
        "without would you your yours tell say says said know want need give anything something mean means happen "
        "happens take takes"
    ),
    "es": (
        "a al algo alguna algunas alguno algunos ante antes aquel aquella aquello aquellos así aun aunque bajo bien "
        "cada casi como cómo con contra cual cuál cuales cuáles cualquier cuando cuándo cuanta cuánta cuantas cuántas "
        "cuanto cuánto cuantos cuántos cuya cuyo de debe deben del desde dice dicen donde dónde dos durante e el él "
        "ella ellas ellos en entre era eran es esa esas ese eso esos esta está están estas este esto estos fue fueron "
        "ha había han hasta hay haya he la las le les lo los más me mi mí mis mientras muy nada ni no nos nosotros "
        "nuestra nuestro o os otra otras otro otros para pero poco por porque pues que qué quien quién quienes quiénes "
        "se sea según ser si sí sido siempre sin sobre solo sólo son su sus también tan tanto te tener tengo tiene "
        "tienen toda todas todo todos tras tu tú tus u un una unas uno unos usted ustedes y ya yo dime puedo puede "
        "pueden quiero necesito favor saber significa ocurre dura duran tarda tardan"
    ),
}
STOP_WORDS: dict[Language, frozenset[str]] = {language: frozenset(words.split()) for language, words in _SMALL.items()}
_ONLY: dict[Language, frozenset[str]] = {
    "en": STOP_WORDS["en"] - STOP_WORDS["es"],
    "es": STOP_WORDS["es"] - STOP_WORDS["en"],
}
_SPANISH_LETTERS = re.compile(r"[ñ¿¡áéíóúü]")


def tokens(text: str) -> list[str]:
    """The words and numbers of a text, in lower case. A number is one token, whatever divides its thousands."""
    found = _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())
    return [_SEPARATOR.sub("", token) if token[0].isdigit() else token for token in found]


def folded(text: str) -> str:
    """Without accents."""
    if text.isascii():
        return text
    return "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))


def language_of(text: str, *, default: Language = "en") -> Language:
    """English or Spanish, by the small words and letters that only one of them has."""
    sample = text[:4_000].lower()
    words = re.findall(r"[^\W\d_]+", sample)
    english = sum(word in _ONLY["en"] for word in words)
    spanish = sum(word in _ONLY["es"] for word in words) + len(_SPANISH_LETTERS.findall(sample)) * 0.5
    if english == spanish:
        return default
    return "es" if spanish > english else "en"


def stems(words: Iterable[str], language: Language) -> list[str]:
    """The stems of words, accents folded after stemming: Snowball Spanish reads them."""
    stemmed: list[str] = _stemmer(language).stemWords(list(words))
    return [folded(stem) for stem in stemmed]


def stop_words(text: str) -> frozenset[str]:
    """What to leave out of a question: the small words of its language, of both if it does not tell."""
    words = set(tokens(text))
    english, spanish = len(words & _ONLY["en"]), len(words & _ONLY["es"])
    if english == spanish:
        return STOP_WORDS["en"] | STOP_WORDS["es"]
    return STOP_WORDS["es"] if spanish > english else STOP_WORDS["en"]


def _stemmer(language: Language) -> Stemmer.Stemmer:
    """One a thread: a stemmer is not safe to share."""
    stemmers: dict[Language, Stemmer.Stemmer] | None = getattr(_LOCAL, "stemmers", None)
    if stemmers is None:
        stemmers = {language: Stemmer.Stemmer(name, 20_000) for language, name in _ALGORITHMS.items()}
        _LOCAL.stemmers = stemmers
    return stemmers[language]
