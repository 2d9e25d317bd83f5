"""How a model's mistakes are corrected: what may still be tried, and the feedback to the model.

The feedback is one user message that quotes the newest rejected answer, says what is wrong and where, and gives a
hint; it is cut to a budget of tokens.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

from batuta.kernel.errors import BatutaError, ErrorCategory, InvalidAnswerError, Rejected
from batuta.pipelines.result import Rejection

Kind = Literal["structural", "semantic", "confidence"]

_CHARACTERS_PER_TOKEN = 4
MIN_FEEDBACK_TOKENS = 64
"""Below this there is no room to say what is wrong with an answer."""


class AttemptsExhaustedError(BatutaError):
    """An agent used up its attempts; carries the last raw answer and every validation message."""

    def __init__(self, message: str, *, last_answer: str, rejections: tuple[Rejection, ...]) -> None:
        super().__init__(message)
        self.last_answer = last_answer
        self.rejections = rejections
        is_structural = rejections[-1].kind == "structural"
        self.category = ErrorCategory.VALIDATION if is_structural else ErrorCategory.SEMANTIC  # type: ignore[misc]


@dataclass(frozen=True, slots=True, kw_only=True)
class AttemptLimits:
    """How many answers may be judged, and how many of them may fail each kind of validation."""

    total: int = 3
    structural: int | None = None
    semantic: int | None = None

    def limit(self, kind: Kind) -> int:
        """How many answers may fail this kind of validation."""
        own = self.structural if kind == "structural" else self.semantic
        return self.total if own is None else own


@dataclass(slots=True)
class Corrections:
    """The rejections of one execution so far."""

    allowed: AttemptLimits
    rejections: list[Rejection] = field(default_factory=list)
    last_answer: str = ""
    feedback: str = ""
    _times: int = 1
    """How often the last answer was given, one time after the other."""

    def add(
        self, kind: Kind, answer: str, verdict: Exception, token_budget: int, confidence: float | None = None
    ) -> None:
        """Count a rejected answer and write the feedback to it."""
        attempt = len(self.rejections) + 1
        is_repeated = bool(self.rejections) and answer.strip() == self.last_answer.strip()
        self.rejections.append(Rejection(attempt, kind, str(verdict), confidence))
        self.last_answer = answer
        self.feedback = feedback_on(answer, verdict, token_budget, times=self._times + 1 if is_repeated else 1)
        self._times = self._times + 1 if is_repeated else 1

    @property
    def confidence(self) -> float | None:
        """That of the newest rejected answer that declared one."""
        return next((r.confidence for r in reversed(self.rejections) if r.confidence is not None), None)

    @property
    def are_used_up(self) -> bool:
        """Whether no further answer may be judged."""
        counts = Counter("structural" if r.kind == "structural" else "semantic" for r in self.rejections)
        return (
            len(self.rejections) >= self.allowed.total
            or counts["structural"] >= self.allowed.limit("structural")
            or counts["semantic"] >= self.allowed.limit("semantic")
        )

    def exhausted(self, name: str) -> AttemptsExhaustedError:
        """The error that carries all of it."""
        last = self.rejections[-1]
        return AttemptsExhaustedError(
            f"{name}: no valid answer in {len(self.rejections)} attempt(s); the last was rejected because "
            f"{last.message}",
            last_answer=self.last_answer,
            rejections=tuple(self.rejections),
        )


_REJECTED = "Your previous answer was rejected."
"""How every feedback opens: a model that reads requests by rule knows it by this."""
_REPEATED = (
    "You gave the same answer {times} times, and it was rejected each time: it will be again. Change what the problem "
    "names, and only that."
)


def feedback_on(answer: str, verdict: Exception, token_budget: int, *, times: int = 1) -> str:
    """The feedback to a model about its rejected answer, within a budget of tokens; more if it gave the same again."""
    problem = _problem(verdict)
    opening = _REJECTED if times == 1 else f"{_REJECTED} {_REPEATED.format(times=times)}"
    frame = f"{opening}\n\nPrevious answer:\n{{}}\n\n{{}}\n\nAnswer the original request again."
    room = token_budget * _CHARACTERS_PER_TOKEN
    problem = _cut(problem, max(room - len(frame) - 40, 80))
    return frame.format(_cut(answer, max(room - len(frame) - len(problem), 40)), problem)


def _problem(verdict: Exception) -> str:
    if isinstance(verdict, Rejected):
        place = ", ".join(
            f"{name} {number}" for name, number in (("line", verdict.line), ("column", verdict.column)) if number
        )
        where = f" at {place}" if place else ""
        hint = f"\nHint: {verdict.hint}" if verdict.hint else ""
        return f"Problem{where}: {verdict.message}{hint}"
    if isinstance(verdict, InvalidAnswerError):
        return f"Problem: {verdict}\nHint: answer with JSON of the asked structure and nothing else."
    return f"Problem: {verdict}"


def _cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: room - 2]} …"
