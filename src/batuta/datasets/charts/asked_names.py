"""Names of columns and values as people say them, where a table abbreviates or inflects them.

"por línea de negocio" of a column "Línea neg." -> "por linea neg"
"los pedidos servidos" of the value "Servido"   -> Servido
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from batuta.datasets.charts.vocabulary import ORDINALS
from batuta.datasets.dataset import Column, Dataset
from batuta.language.folding import fold

SHORTEST = 3
"""Letters of an abbreviation that is a column's whole name."""
SHORTEST_INFLECTED = 4
_JOINT = r"(?: (?:de|del|de la|of|of the|the))? "


def folded(text: str) -> str:
    """Lower case without accents, punctuation as spaces: how texts are compared."""
    return " ".join(re.sub(r"[^\w%]+", " ", fold(text)).replace("_", " ").split())


def with_short_names(text: str, columns: Iterable[Column], known: Collection[str]) -> str:
    """A folded text with the names of columns as their heads abbreviate them: "provincia" is "prov" for "Prov.".

    Args:
        text: Folded, with a space at both ends.
        columns: Of the table.
        known: Folded names and values that stand in it in full.
    """
    found: dict[str, list[str]] = {}
    for column in columns:
        if pattern := _pattern(column.title):
            for match in re.finditer(rf"(?<= ){pattern}(?= )", text):
                if match.group() not in known:
                    found.setdefault(match.group(), []).append(folded(column.title))
    for words in sorted(found, key=len, reverse=True):
        if len(found[words]) == 1:  # one that could stand for two columns stands for neither
            text = text.replace(f" {words} ", f" {found[words][0]} ")
    return text


def _pattern(title: str) -> str:
    """What the words of a head with abbreviations may be in full; empty for a head without any."""
    tokens = re.findall(r"[^\W_]+\.?", fold(title))
    short = [token for token in tokens if token.endswith(".") and token[0].isalpha()]
    if not short or (len(tokens) == 1 and len(tokens[0]) <= SHORTEST):
        return ""
    return _JOINT.join(rf"{token[:-1]}\w*" if token in short else re.escape(token) for token in tokens)


def inflected(values: Mapping[str, str], taken: Collection[str]) -> dict[str, str]:
    """Other forms of values of one word, by their gender and number, that mean nothing else: "anulados" of Anulado.

    Args:
        values: The value by its folded form.
        taken: Folded words that mean something else, such as names of columns.
    """
    forms = {word: _forms(word) for word in values if word.isalpha() and len(word) >= SHORTEST_INFLECTED}
    counts = Counter(form for each in forms.values() for form in each)
    return {
        form: values[word]
        for word, each in forms.items()
        for form in each
        if counts[form] == 1 and form not in values and form not in taken
    }


def _forms(word: str) -> set[str]:
    stem = re.sub(r"(?:[oa]s?)$", "", word)
    if stem != word and len(stem) >= SHORTEST_INFLECTED - 1:
        return {f"{stem}{end}" for end in ("o", "a", "os", "as")} - {word}
    return {word[:-1]} if word.endswith("s") else {f"{word}s", f"{word}es"}


def with_numbered_columns(text: str, table: Dataset) -> str:
    """A text with columns by their names where it has them by their places: "the second column", "columna 2"."""

    def named(match: re.Match[str]) -> str:
        word = match["word"] or match["digit"]
        number = int(word) if word.isdigit() else next(n for n, words in ORDINALS.items() if word in words)
        inside = 1 <= number <= len(table.columns)
        return f" {folded(table.columns[number - 1].title)} " if inside else match[0]

    words = "|".join(word for words in ORDINALS.values() for word in words)
    return re.sub(rf" (?:(?P<word>{words}) (?:columna|column)|(?:columna|column) (?P<digit>\d{{1,2}})) ", named, text)
