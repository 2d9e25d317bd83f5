"""Embeddings as OpenAI and Google give them: ``POST /v1/embeddings`` and ``models/{model}:batchEmbedContents``.

A vector follows from its text: words and pieces of words, each thrown by its hash into some of the dimensions. Texts
that share words lie near each other, so that a search by these vectors finds something, and the same each time.
"""

import hashlib
import math
import re
import unicodedata
from collections.abc import Iterator
from typing import Any

from batuta.simulator.answers import Json, Provider
from batuta.simulator.wire.asked import as_list, dicts, mapping, text_of

DEFAULT_DIMENSIONS = 256
MAX_DIMENSIONS = 3_072
MAX_INPUTS = {"openai_chat": 2_048, "google": 100}
PIECE = 4
_WORD = re.compile(r"\w+")


def embed(text: str, dimensions: int, model: str = "") -> list[float]:
    """The vector of a text, of length 1. Another model gives another one."""
    vector = [0.0] * dimensions
    for feature, weight in _features(text):
        digest = hashlib.blake2b(f"{model}\0{feature}".encode(), digest_size=8).digest()
        place = int.from_bytes(digest[:4]) % dimensions
        vector[place] += weight if digest[4] & 1 else -weight
    length = math.sqrt(sum(number * number for number in vector))
    return [round(number / length, 6) for number in vector] if length else [1.0, *vector[1:]]


def problems(provider: Provider, body: Json) -> list[str]:
    """What the provider would refuse."""
    texts, dimensions = _texts(provider, body), _dimensions(provider, body)
    found = []
    if not texts:
        found.append("input: field required")
    if len(texts) > MAX_INPUTS[provider]:
        found.append(f"input: at most {MAX_INPUTS[provider]} texts, got {len(texts)}")
    if not all(isinstance(text, str) and text for text in texts):
        found.append("input: must not hold an empty text")
    if not isinstance(dimensions, int) or not 1 <= dimensions <= MAX_DIMENSIONS:
        found.append(f"dimensions: must be between 1 and {MAX_DIMENSIONS}")
    return found


def answer(provider: Provider, body: Json) -> Json:
    """The vectors of all texts, in the provider's form."""
    model, dimensions = str(body.get("model", "")), _dimensions(provider, body)
    vectors = [embed(text, dimensions, model) for text in _texts(provider, body)]
    if provider == "google":
        return {"embeddings": [{"values": vector} for vector in vectors]}
    tokens = sum(max(1, len(text) // 4) for text in _texts(provider, body))
    return {
        "object": "list",
        "model": model,
        "data": [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)],
        "usage": {"prompt_tokens": tokens, "total_tokens": tokens},
    }


def _texts(provider: Provider, body: Json) -> list[Any]:
    if provider == "google":
        return [text_of(mapping(one.get("content")).get("parts")) for one in dicts(body.get("requests"))]
    given = body.get("input")
    return [given] if isinstance(given, str) else as_list(given)


def _dimensions(provider: Provider, body: Json) -> Any:
    if provider == "google":
        first = next(iter(dicts(body.get("requests"))), {})
        asked = first.get("outputDimensionality") or first.get("output_dimensionality")
    else:
        asked = body.get("dimensions")
    return DEFAULT_DIMENSIONS if asked is None else asked


def _features(text: str) -> Iterator[tuple[str, float]]:
    plain = "".join(char for char in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(char))
    for word in _WORD.findall(plain):
        yield word, 1.0
        for start in range(max(0, len(word) - PIECE + 1)):
            yield word[start : start + PIECE], 0.5
