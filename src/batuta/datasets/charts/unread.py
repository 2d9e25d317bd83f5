"""Words of a request for a chart that nothing understood: neither the table's, nor those of charts, nor fillers."""

import re
from collections.abc import Iterable
from functools import lru_cache

from batuta.datasets.charts import vocabulary
from batuta.language.folding import fold, stem
from batuta.language.vocabulary import filler_stems

_LISTS = (
    vocabulary.BY_WORDS, vocabulary.SPLIT_WORDS, vocabulary.ONLY_WORDS, vocabulary.OF_WORDS, vocabulary.WITHOUT_WORDS,
    vocabulary.AGAINST_WORDS, vocabulary.EVERYTHING_WORDS, vocabulary.TOP_WORDS, vocabulary.BOTTOM_WORDS,
    vocabulary.SHARE_WORDS, vocabulary.CHART_WORDS,
)  # fmt: skip
_GROUPS = (
    vocabulary.KIND_WORDS, vocabulary.LOOSE_KIND_WORDS, vocabulary.EXTREME_WORDS, vocabulary.BOUND_WORDS,
    vocabulary.ORDER_WORDS, vocabulary.AGGREGATE_WORDS,
)  # fmt: skip
"""Words of charts that may be left after a request was read, because they only join others."""


def unread_words(text: str, known: Iterable[str]) -> list[str]:
    """The words of a folded text that say nothing of a chart, in its order, without those of the table's own names."""
    named = sorted({name for name in known if name}, key=len, reverse=True)
    for name in named:
        if f" {name} " in f" {text} ":  # a table has many values: no pattern is made for each
            text = re.sub(rf"(?<= ){re.escape(name)}(?= )", "~", f" {text} ")
    for pattern in _chart_patterns():
        text = pattern.sub("~", f" {text} ")
    silent = filler_stems(vocabulary.CHART_FILLERS)
    return [word for word in dict.fromkeys(text.split()) if word.strip("~#") and stem(word) not in silent]


@lru_cache(maxsize=1)
def _chart_patterns() -> tuple[re.Pattern[str], ...]:
    """Words of charts as patterns, the longest first: "stacked by" before "stacked"."""
    words = [word for words in _LISTS for word in words]
    words += [word for group in _GROUPS for words in group.values() for word in words]
    folded = sorted({re.sub(r"[^\w%?\[\]]+", " ", fold(word)) for word in words}, key=len, reverse=True)
    return tuple(re.compile(rf"(?<= )(?:{pattern})(?= )") for pattern in folded)
