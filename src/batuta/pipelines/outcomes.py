"""Asking whether a write took place whose answer was lost: a person knows what code cannot find out."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from batuta.kernel.approvals import ApprovalRequest, Approver
from batuta.kernel.errors import UnknownOutcomeError
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.journal import MAX_BEGUN, Pending, Reconcile

T = TypeVar("T")

OUTCOME_UNKNOWN = (
    "This was begun and no answer to it came back, so it may have taken place or not. Approve to do it now; reject "
    "if it is already done."
)
NOT_EDITABLE = f"What was begun cannot be edited. {OUTCOME_UNKNOWN}"
LAST_QUESTION = (
    f"This was begun {MAX_BEGUN} times and no answer to it came back, so it may have taken place or not. It is not "
    "begun again: approve to go on as if it failed; reject if it is already done."
)
MAX_EDITS = 20


class OutcomeQuestion(Generic[T]):
    """Asks the approver of a run whether a write took place; `None` is the answer that it did not.

    `about` says what was begun; `done` makes, of the words of a person who says that it took place, what stands for its
    result.
    """

    def __init__(
        self, ctx: Context, approver: Approver, about: Callable[[], ApprovalRequest], done: Callable[[str], T]
    ) -> None:
        self._ctx = ctx
        self._approver = approver
        self._about = about
        self._done = done

    async def __call__(self, pending: Pending) -> T | None:
        """Ask. The run may suspend until there is an answer."""
        request = self._request(pending)
        decision = await self._approver.decide(request)
        for time in range(1, MAX_EDITS):
            if decision.verdict != "edited":
                break
            again = replace(request, idempotency_key=f"{request.idempotency_key}:edit-{time}", reason=NOT_EDITABLE)
            decision = await self._approver.decide(again)
        if decision.verdict != "rejected":
            return None
        return self._done(f"A person confirmed: {decision.reason or 'this was already done'}")

    def is_answered(self, pending: Pending) -> bool:
        """Whether a person has answered this question already, in an earlier part of the run."""
        is_decided = getattr(self._approver, "is_decided", None)
        return is_decided is not None and bool(is_decided(self._request(pending)))

    def _request(self, pending: Pending) -> ApprovalRequest:
        about = self._about()
        return replace(
            about,
            idempotency_key=_question(about, pending),
            reason=LAST_QUESTION if pending.is_last else OUTCOME_UNKNOWN,
            user=self._ctx.user,
            correlation_id=self._ctx.correlation_id,
            is_about_outcome=True,
        )


def asking_a_person(
    ctx: Context, about: Callable[[], ApprovalRequest], done: Callable[[str], T]
) -> Reconcile[T] | None:
    """The question that is asked in this run; none if it has no approver."""
    approver = invocation_of(ctx).run.approver
    return None if approver is None else OutcomeQuestion(ctx, approver, about, done)


def asking_about(
    ctx: Context, name: str, done: Callable[[str], T] | None = None, args: Mapping[str, Any] | None = None
) -> Reconcile[T] | None:
    """A question about an effect of which little is known but its name: a person can say that it is to be done.

    `done` gives what stands for one that took place; without it the result is unknown.
    """

    def about() -> ApprovalRequest:
        return ApprovalRequest(
            tool_use_id=ctx.stable_id(f"effect:{name}"),
            tool_name=name,
            args=dict(args or {}),
            idempotency_key=f"{ctx.run_key}:{ctx.key}:{name}",
            agent_id=ctx.agent_id or ctx.step_name,
        )

    def unknown(words: str) -> T:
        raise unknown_outcome(ctx, name, words)

    return asking_a_person(ctx, about, done or unknown)


def unknown_outcome(ctx: Context, name: str, words: str) -> UnknownOutcomeError:
    """It was begun, or is done, and its result is unknown."""
    return UnknownOutcomeError(
        f"{name}: {words}. What it brought is not known, so nothing can go on from it; give it a `reconcile` function "
        "that finds out",
        effect_key=f"{ctx.key}:{name}",
    )


def _question(about: ApprovalRequest, pending: Pending) -> str:
    """Each interruption is a question of its own: an answer to the last one says nothing about this one."""
    key = f"{about.idempotency_key}:outcome"
    return key if not pending.abandoned else f"{key}:{pending.abandoned}"
