"""The peers of the language bench, run in an environment of their own: reads cases as JSON, writes scores as JSON."""

import json
import sys
import time
from calendar import monthrange
from datetime import date, datetime


def dates_and_periods(cases: dict) -> dict:
    """dateparser, given what it knows of periods: the day, month or year it says that it found."""
    from dateparser.date import DateDataParser
    from dateparser.search import search_dates

    now = datetime.fromisoformat(cases["now"]).replace(tzinfo=None)
    scores = {}
    for kind in ("dates", "periods"):
        for language, sentences in cases[kind].items():
            prefer = "future" if kind == "dates" else "past"
            settings = {"RELATIVE_BASE": now, "PREFER_DATES_FROM": prefer, "DATE_ORDER": "DMY"}
            parser = DateDataParser(languages=[language], settings=settings)
            exact = lenient = 0
            for text, expected in sentences.items():
                found = search_dates(text, languages=[language], settings=settings) or []
                first, _, last = expected.partition("..")
                low, high = date.fromisoformat(first), date.fromisoformat(last or first)
                read = [whole(parser.get_date_data(words).period, value.date()) for words, value in found]
                exact += read == [(low, high)]
                lenient += any(low <= value.date() <= high for _, value in found)
            scores[f"{kind} {language}"] = [exact, lenient]
    return scores


def whole(period: str, day: date) -> tuple:
    """The days of the period that dateparser says a date stands for."""
    if period == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    if period == "month":
        return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])
    return day, day


def intents(train: list, test: list) -> dict:
    """TF-IDF over words and letter groups with a linear SVM."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.svm import LinearSVC

    features = make_union(
        TfidfVectorizer(strip_accents="unicode", ngram_range=(1, 2), sublinear_tf=True),
        TfidfVectorizer(strip_accents="unicode", analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True),
    )
    words = make_pipeline(TfidfVectorizer(strip_accents="unicode"), LinearSVC())
    both = make_pipeline(features, LinearSVC())
    scores = {}
    for name, model in (("TF-IDF words + linear SVM", words), ("TF-IDF words and letters + linear SVM", both)):
        model.fit([text for text, _ in train], [label for _, label in train])
        started = time.perf_counter()
        found = model.predict([text for text, _ in test])
        seconds = time.perf_counter() - started
        right = sum(one == label for one, (_, label) in zip(found, test, strict=True))
        scores[name] = [right, len(test), seconds / len(test) * 1000]
    return scores


if __name__ == "__main__":
    asked = json.load(sys.stdin)
    json.dump({"found": dates_and_periods(asked), "intents": intents(asked["train"], asked["test"])}, sys.stdout)
