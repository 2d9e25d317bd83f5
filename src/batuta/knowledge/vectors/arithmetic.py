"""Vectors as bytes, and how near they are to one another. Needs numpy (extra `vectors`)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from batuta.kernel.extras import load_extra
from batuta.llm.embedding import Vector

FEWEST_FOR_STANDING = 20
"""Below that the spread of similarities says nothing."""


def numpy() -> Any:
    """The library. Raises `MissingExtraError`; an index asks for it when it is made, not in the middle of a search."""
    return load_extra("numpy", extra="vectors", needed_for="search by meaning")


@dataclass(frozen=True, slots=True)
class Nearness:
    """One passage compared with a question."""

    passage_id: int
    similarity: float
    standing: float


def packed(vector: Vector) -> tuple[bytes, bytes]:
    """A vector as it is kept: the signs of its numbers, and the numbers, scaled to length 1."""
    np = numpy()
    numbers = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(numbers))
    unit = numbers / length if length else numbers
    return _signs(unit), unit.astype("<f4").tobytes()


def sign_matrix(signs: Sequence[bytes]) -> Any:
    """The signs of many vectors, for `nearest_by_signs`."""
    np = numpy()
    width = _padded(len(signs[0])) if signs else 8
    joined = b"".join(each.ljust(width, b"\0") for each in signs)
    return np.frombuffer(joined, dtype=np.uint64).reshape(len(signs), width // 8)


def nearest_by_signs(matrix: Any, vector: Vector, count: int) -> list[int]:
    """The rows of a matrix whose signs differ least from those of a vector, the nearest first; equal ones in order."""
    np = numpy()
    asked = sign_matrix([packed(vector)[0]])[0]
    differing = np.bitwise_count(matrix ^ asked).sum(axis=1, dtype=np.uint16)
    rows: list[int] = np.argsort(differing, kind="stable")[:count].tolist()
    return rows


def nearest_exactly(vector: Vector, passages: Sequence[tuple[int, bytes]], limit: int) -> list[Nearness]:
    """The passages nearest to a vector, the nearest first; equal ones in the order given."""
    np = numpy()
    if not passages:
        return []
    asked = np.frombuffer(packed(vector)[1], dtype="<f4")
    matrix = np.frombuffer(b"".join(value for _, value in passages), dtype="<f4").reshape(len(passages), -1)
    similarities = matrix @ asked
    spread = float(similarities.std())
    mean = float(similarities.mean())
    has_standing = len(passages) >= FEWEST_FOR_STANDING and spread > 0
    order = np.argsort(-np.round(similarities, 6), kind="stable")[:limit].tolist()
    return [
        Nearness(
            passages[row][0],
            round(float(similarities[row]), 4),
            round((float(similarities[row]) - mean) / spread, 2) if has_standing else 0.0,
        )
        for row in order
    ]


def _signs(numbers: Any) -> bytes:
    np = numpy()
    packed_bits: bytes = np.packbits(numbers > 0).tobytes()
    return packed_bits


def _padded(width: int) -> int:
    return -(-width // 8) * 8
