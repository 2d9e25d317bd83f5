"""Which label a sentence belongs to, learnt from example sentences: a linear classifier over words and letter groups.

Deterministic, without dependencies, trained in a moment when it is made. Features are stems, pairs of stems and groups of
three to five letters (which forgive typing errors), weighted by rarity; the classifier is AROW, adaptive regularisation of
weight vectors, which learns from few examples and needs few passes.
"""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from batuta.language.folding import stem, words_of

PASSES = 4
REGULARISATION = 0.5
LETTER_GROUPS = (3, 4, 5)
LETTER_WEIGHT = 1.0
"""What letter groups count against whole words."""
MARGIN_SHARPNESS = 4.0
DECIMALS = 5
"""What is kept of a weight: the same whether it was learnt now or read from a file."""

_CLITIC = re.compile(r"^(\w{4,}?)(?:(?:me|te|se|nos)?(?:l[oae]s?)|me|nos)$")
"""Pronouns that Spanish joins to a verb: "cancélala" is "cancela" and "la", "quítame" is "quita" and "me"."""

Vector = list[tuple[int, float]]
"""Features by number, with their weights; of length 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelScore:
    """How well a label fits a sentence."""

    label: str
    score: float
    """The classifier's: comparable between labels of one sentence only."""
    similarity: float
    """To the nearest example of the label, 0 to 1: comparable between sentences."""
    confidence: float
    """0 to 1: alike, and not as much like another label."""


class SentenceClassifier:
    """Labels with example sentences, and the way from a sentence to a label."""

    def __init__(self, examples: Mapping[str, Iterable[Sequence[str]]]) -> None:
        """`examples` are sentences as lists of tokens (see `tokens_of`), by label."""
        self.labels = tuple(examples)
        pairs = [(number, tokens) for number, label in enumerate(self.labels) for tokens in examples[label]]
        raw = [(number, _features(tokens)) for number, tokens in pairs]
        self._numbers, rarity = _vocabulary([features for _, features in raw])
        self._rarity = [round(each, DECIMALS) for each in rarity]
        self._unknown_rarity = math.log(1 + len(raw)) + 1
        vectors = [(number, self._vector(features)) for number, features in raw]
        weights = _trained(vectors, len(self._numbers), len(self.labels))
        self._weights = [{label: round(each, DECIMALS) for label, each in one.items()} for one in weights]
        self._examples: dict[int, list[tuple[int, float]]] = defaultdict(list)
        self._example_labels = [number for number, _ in raw]
        for place, (_, features) in enumerate(raw):
            words = self._word_vector(features)
            for number, weight in words.items():
                if number >= 0:
                    self._examples[number].append((place, round(weight, DECIMALS)))

    @classmethod
    def restored(cls, state: Mapping[str, Any]) -> "SentenceClassifier":
        """The classifier that `state` was taken from. Raises `KeyError`, `TypeError` or `ValueError` for anything else."""
        made = cls({})
        made.labels = tuple(map(str, state["labels"]))
        made._numbers = {str(feature): number for number, feature in enumerate(state["features"])}
        made._rarity = [float(each) for each in state["rarity"]]
        made._weights = [dict(zip(pairs[::2], pairs[1::2], strict=True)) for pairs in state["weights"]]
        made._example_labels = [int(each) for each in state["example_labels"]]
        made._examples = {int(n): list(zip(p[::2], p[1::2], strict=True)) for n, p in state["examples"].items()}
        made._unknown_rarity = math.log(1 + len(made._example_labels)) + 1
        if not len(made._numbers) == len(made._rarity) == len(made._weights):
            raise ValueError("a classifier has one rarity and one set of weights for each feature")
        return made

    def state(self) -> dict[str, Any]:
        """Everything it has learnt, as JSON holds it."""
        return {
            "labels": list(self.labels),
            "features": list(self._numbers),
            "rarity": self._rarity,
            "weights": [[part for pair in each.items() for part in pair] for each in self._weights],
            "example_labels": self._example_labels,
            "examples": {number: [part for pair in each for part in pair] for number, each in self._examples.items()},
        }

    def scores(self, tokens: Sequence[str]) -> list[LabelScore]:
        """All labels, the best first."""
        if not self.labels:
            return []
        features = _features(tokens)
        vector = self._vector(features)
        totals = _totals(self._weights, vector, len(self.labels))
        similar = self._similarities(features)
        order = sorted(range(len(totals)), key=lambda label: (-totals[label], label))
        best = totals[order[0]]
        runner_up = totals[order[1]] if len(order) > 1 else best - 1
        found = []
        for label in order:
            rival = runner_up if label == order[0] else best
            certainty = 1 / (1 + math.exp(-MARGIN_SHARPNESS * (totals[label] - rival)))
            confidence = similar[label] * (2 * certainty if certainty < 0.5 else 1) * (0.5 + 0.5 * certainty)
            found.append(
                LabelScore(
                    label=self.labels[label], score=totals[label], similarity=similar[label], confidence=confidence
                )
            )
        return found

    def knows(self, word: str) -> bool:
        """Whether a folded word stands in an example."""
        return f"w:{_word_stem(word)}" in self._numbers

    def _vector(self, features: Counter[str]) -> Vector:
        """Known features, weighted by rarity; words and letter groups each of their own length."""
        parts: dict[bool, Vector] = {True: [], False: []}
        for feature, count in features.items():
            number = self._numbers.get(feature)
            if number is not None:
                weight = (1 + math.log(count)) * self._rarity[number]
                parts[feature[0] == "c"].append((number, weight))
        vector: Vector = []
        for is_letters, part in parts.items():
            length = math.sqrt(sum(weight * weight for _, weight in part))
            share = LETTER_WEIGHT if is_letters else 1.0
            vector += [(number, weight / length * share) for number, weight in part] if length else []
        return vector

    def _word_vector(self, features: Counter[str]) -> dict[int, float]:
        """Single words only; those that no example has count too, as something else that is asked."""
        found: dict[int, float] = {}
        for place, feature in enumerate(features):
            if feature[0] == "w":
                number = self._numbers.get(feature, -1 - place)
                found[number] = self._rarity[number] if number >= 0 else self._unknown_rarity
        length = math.sqrt(sum(weight * weight for weight in found.values())) or 1.0
        return {number: weight / length for number, weight in found.items()}

    def _similarities(self, features: Counter[str]) -> list[float]:
        shares: dict[int, float] = defaultdict(float)
        for number, weight in self._word_vector(features).items():
            for place, other in self._examples.get(number, ()):
                shares[place] += weight * other
        best = [0.0] * len(self.labels)
        for place, share in shares.items():
            label = self._example_labels[place]
            best[label] = max(best[label], share)
        return best


def tokens_of(text: str) -> list[str]:
    """The words of a sentence as a classifier takes them."""
    return words_of(text)


def without_pronoun(word: str) -> str:
    """A folded word without the pronoun that Spanish joins to a verb: "apuntame" is "apunta"."""
    return _CLITIC.sub(r"\1", word)


def _word_stem(word: str) -> str:
    return stem(without_pronoun(word))


def _features(tokens: Sequence[str]) -> Counter[str]:
    stems = [token if token[:1] == "<" else _word_stem(token) for token in tokens]
    found = Counter(f"w:{each}" for each in stems)
    found.update(f"b:{one} {other}" for one, other in pairwise(stems))
    for token in tokens:
        if token[:1] != "<":
            padded = f" {token} "
            for size in LETTER_GROUPS:
                found.update(f"c:{padded[at : at + size]}" for at in range(len(padded) - size + 1))
    return found


def _vocabulary(sentences: list[Counter[str]]) -> tuple[dict[str, int], list[float]]:
    counts: Counter[str] = Counter(feature for features in sentences for feature in features)
    numbers = {feature: number for number, feature in enumerate(counts)}
    total = len(sentences)
    return numbers, [math.log((1 + total) / (1 + count)) + 1 for count in counts.values()]


def _trained(vectors: list[tuple[int, Vector]], features: int, labels: int) -> list[dict[int, float]]:
    """Weights by feature and label: each sentence pulls its own label up and the likeliest other down.

    Most features meet few labels, so only weights other than 0 are kept.
    """
    weights: list[dict[int, float]] = [{} for _ in range(features)]
    variance: list[dict[int, float]] = [{} for _ in range(features)]
    if labels < 2:
        return weights
    for turn in range(PASSES):
        for place in _order(len(vectors), turn):
            right, vector = vectors[place]
            totals = _totals(weights, vector, labels)
            wrong = max((label for label in range(labels) if label != right), key=lambda label: totals[label])
            margin = totals[right] - totals[wrong]
            if margin < 1:
                _update(weights, variance, vector, (right, wrong), margin)
    return weights


def _totals(weights: Sequence[dict[int, float]], vector: Vector, labels: int) -> list[float]:
    totals = [0.0] * labels
    for number, weight in vector:
        for label, each in weights[number].items():
            totals[label] += each * weight
    return totals


def _update(
    weights: list[dict[int, float]],
    variance: list[dict[int, float]],
    vector: Vector,
    pair: tuple[int, int],
    margin: float,
) -> None:
    right, wrong = pair
    spread = sum(weight * weight * (variance[n].get(right, 1.0) + variance[n].get(wrong, 1.0)) for n, weight in vector)
    beta = 1 / (spread + REGULARISATION)
    step = (1 - margin) * beta
    for number, weight in vector:
        own_weights, own_variance = weights[number], variance[number]
        for label, sign in ((right, 1.0), (wrong, -1.0)):
            own = own_variance.get(label, 1.0)
            own_weights[label] = own_weights.get(label, 0.0) + sign * step * own * weight
            own_variance[label] = own - beta * (own * weight) ** 2


def _order(count: int, turn: int) -> list[int]:
    """Another order for each pass, the same each time: sentences of one label must not follow one another."""
    stride = next((step for step in range(int(count * 0.618) + turn, count * 2) if math.gcd(step, count) == 1), 1)
    return [(turn + place * stride) % count for place in range(count)] if count else []
