"""The technical context of one step: frozen, and the only way to have another step run."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextvars import ContextVar
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from batuta import events, pipelines
from batuta.kernel.effects import EffectKind
from batuta.kernel.errors import DeadlineExceededError, LogicalError
from batuta.kernel.ids import new_id
from batuta.kernel.outcomes import is_outcome_unknown
from batuta.kernel.outgoing import is_carrying
from batuta.kernel.users import ToolUser
from batuta.pipelines.cancellation import Cancellation
from batuta.pipelines.journal import Effect, Journal, Pending, Reconcile
from batuta.pipelines.scope import Scope, Undo
from batuta.resilience.deadlines import Deadline

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from batuta.conversations.conversation import Conversation
    from batuta.events.envelope import Event
    from batuta.pipelines.journaling import Doing
    from batuta.pipelines.runner import Run
    from batuta.pipelines.spending import SpendingCodec
    from batuta.pipelines.step import Step

A = TypeVar("A")
B = TypeVar("B")
T = TypeVar("T")


class Invocation:
    """One step being run, as the runtime sees it: everything a `Context` knows and does not show."""

    __slots__ = ("conversation", "deadline", "key", "notes", "parent", "path", "run", "scope", "step_name")

    def __init__(
        self,
        run: "Run",
        scope: Scope,
        step_name: str = "",
        parent: "Invocation | None" = None,
        conversation: "Conversation | None" = None,
        deadline: Deadline | None = None,
    ) -> None:
        self.run = run
        self.scope = scope
        self.step_name = step_name
        self.path: str = f"{parent.path}/{step_name}" if parent is not None and parent.path else step_name
        self.key: str = self.path if run.journal is None else run.numbered(self.path, parent)
        self.parent = parent
        self.conversation = conversation
        self.deadline = deadline
        self.notes: dict[str, Any] = {}

    def within(
        self,
        scope: Scope,
        *,
        deadline: Deadline | None = None,
        conversation: "Conversation | None" = None,
        is_timeless: bool = False,
        key: str | None = None,
    ) -> "Context":
        """The same place in another scope, with a deadline, conversation and key of its own or those it has."""
        twin = Invocation.__new__(Invocation)
        twin.run = self.run
        twin.scope = scope
        twin.step_name = self.step_name
        twin.path = self.path
        twin.parent = self.parent
        twin.notes = self.notes
        twin.key = key or self.key
        twin.conversation = self.conversation if conversation is None else conversation
        twin.deadline = None if is_timeless else deadline or self.deadline
        return Context(twin)

    def emit(self, event: "Event", *, live: bool = False) -> Awaitable[None]:
        """`Context.emit` without a coroutine for each event. The result has to be awaited."""
        return self.run.emitter.emit(event, None if live else self.key)


class Context:
    """What a step knows of the run around it. It cannot be changed; a child step gets its own."""

    __slots__ = ("_invocation",)

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation

    @property
    def step_name(self) -> str:
        """The name of the step that runs."""
        return self._invocation.step_name

    @property
    def path(self) -> str:
        """Where the step stands: `main/router/sales`."""
        return self._invocation.path

    @property
    def key(self) -> str:
        """The path with a number for every repetition: stable when the same run is repeated."""
        return self._invocation.key

    @property
    def conversation(self) -> "Conversation | None":
        """What was said so far, if the run has a conversation."""
        return self._invocation.conversation

    @property
    def deadline(self) -> Deadline | None:
        """When the step must be done."""
        return self._invocation.deadline

    @property
    def now(self) -> datetime:
        """The time of the run's clock."""
        return self._invocation.run.clock.now()

    @property
    def agent_id(self) -> str | None:
        """The specialist that everything here is attributed to, if there is one."""
        return self._invocation.scope.agent_id

    @property
    def correlation_id(self) -> str:
        """The id that ties everything about this run together."""
        return self._invocation.run.emitter.stamp.correlation_id

    @property
    def services(self) -> Mapping[str, Any]:
        """What the caller of the run made available by name."""
        return self._invocation.run.services

    @property
    def user(self) -> ToolUser:
        """On whose behalf the run acts."""
        return self._invocation.run.user

    @property
    def run_key(self) -> str:
        """What names this run in idempotency keys: its turn, else its correlation id."""
        return self._invocation.run.key

    @property
    def idempotency_key(self) -> str:
        """Names what this step does in this run, for systems that know such keys: the same at every try."""
        return f"{self.run_key}:{self.key}"

    @property
    def cancellation(self) -> Cancellation:
        """Whether the run has been asked to stop."""
        return self._invocation.run.cancellation

    @property
    def is_heard(self) -> bool:
        """True if emitted events have a listener: if not, they need not be constructed."""
        return self._invocation.run.emitter.is_heard

    @property
    def is_dry_run(self) -> bool:
        """Whether effects are replaced by stand-ins."""
        return self._invocation.run.is_dry_run

    async def invoke(self, step: "Step[A, B]", value: A, *, conversation: "Conversation | None" = None) -> B:
        """Have another step run as a child of this one. Its failure is raised as `StepFailedError`."""
        result: B = await self._invocation.run.invoke(step, value, self._invocation, conversation)
        return result

    async def emit(self, event: "Event", *, live: bool = False) -> None:
        """Emit an event: time, position, session, turn and correlation are those of the run.

        A run that is repeated gives what this place emits the same id again. What happens only while an effect is
        really carried out, and not when its recorded outcome is returned, is `live`: it is another event each time.
        """
        await self._invocation.emit(event, live=live)

    def stable_id(self, what: str) -> str:
        """An id for something made here: the same when the run is repeated."""
        return self._invocation.run.emitter.stable_id(f"{self.key}:{what}")

    def note(self, **facts: Any) -> None:
        """Add facts to this step's completed or failed event."""
        self._invocation.notes.update(facts)

    def skip(self, reason: str) -> None:
        """Say that this step leaves its work undone: a pipeline that goes on without it is a partial success."""
        self.note(skipped=reason)
        self._invocation.scope.agents.is_partial = True

    async def progress(self, message: str, *, done: float | None = None, total: float | None = None) -> None:
        """Say how far this step is."""
        await self.emit(
            events.StepProgress(step_name=self.step_name, path=self.path, message=message, done=done, total=total)
        )

    async def decide(
        self,
        decision_type: str,
        *,
        category: str = "decision",
        reasoning: str | None = None,
        confidence: float | None = None,
        input_data: dict[str, Any] | None = None,
        output_data: dict[str, Any] | None = None,
    ) -> None:
        """Record a decision, with why it was taken and of what as far as that is known."""
        if confidence is not None and not 0 <= confidence <= 1:
            raise ValueError(f"{self.path}: the confidence of a decision is between 0 and 1, got {confidence}")
        await self.emit(
            events.AgentDecisionRecorded(
                path=self.path,
                agent_name=self.step_name,
                decision_id=new_id(),
                decision_type=decision_type,
                decision_category=category,
                reasoning=reasoning,
                confidence=confidence,
                input_data=input_data or {},
                output_data=output_data or {},
            )
        )

    async def effect(
        self,
        act: Callable[[], Awaitable[T]],
        codec: "TypeAdapter[T]",
        *,
        kind: EffectKind,
        name: str,
        reconcile: Reconcile[T] | None = None,
        ask: Reconcile[T] | None = None,
        not_done: Callable[[Exception], T] | None = None,
        stand_in: Callable[[], T] | None = None,
        settles_within: timedelta | None = None,
    ) -> T:
        """Reach outside once: with a journal, a recorded outcome is returned instead of acting again.

        `name` tells the effects of one step apart. When the answer of a write is lost, it is unknown whether it took
        place: `reconcile` finds out (`None`: it did not), else `ask` asks a person; without one, the approver of
        this run is asked, who can have it done now, but cannot say what it brought. If it stays unknown it is an
        `UnknownOutcomeError`. `not_done` gives what stands for a write that surely did not take place, instead of an
        error; `stand_in` what stands for an effect where nothing may happen. A request that is under way may still
        arrive: what is found out within `settles_within` of its beginning does not count as "it did not".
        """
        journal = self._invocation.run.journal
        if journal is None and kind != "write":
            return await self._acted(act)
        effect = self._effect(name, kind)
        if ask is None and kind == "write":
            ask = pipelines.asking_about(self, name)
        doing = pipelines.Doing(
            effect=effect,
            act=act,
            codec=codec,
            reconcile=reconcile,
            ask=ask,
            not_done=not_done,
            stand_in=stand_in,
            sleep=self._invocation.run.clock.sleep,
            now=self._invocation.run.clock.now,
            settles_within=settles_within,
        )
        if journal is not None:
            self._invocation.run.note_effect(effect)
        try:
            value = await self._perform(journal, doing)
        except asyncio.CancelledError:
            self._count_write(kind)
            raise
        except Exception as error:
            self._count_write(kind, has_happened=is_outcome_unknown(error))
            raise
        self._count_write(kind)
        return value

    async def _acted(self, act: Callable[[], Awaitable[T]], scope: Scope | None = None, key: str | None = None) -> T:
        """Act as a part of this step: what runs inside counts, and is undone, with it.

        What agents say in there is no part of the conversation: of a recorded effect they say nothing.
        """
        own, inside = self._invocation, self
        if own.conversation is not None:
            inside = own.within(scope or own.scope, key=key, conversation=own.conversation.clone())
        elif scope is not None or key is not None:
            inside = own.within(scope or own.scope, key=key)
        token = current_context.set(inside)
        try:
            return await act()
        finally:
            current_context.reset(token)

    async def go_on(self) -> None:
        """Say that the run goes on although something failed here, by another attempt or with a stand-in.

        What failed is kept: a repeated run fails there again and takes the same way, so that what was done on that way
        is found and not done twice.
        """
        run = self._invocation.run
        if run.writing:
            await run.settle_cut_off(self.key)
        await run.keep_failures(self.key)

    async def _perform(self, journal: Journal | None, doing: "Doing[T]") -> T:
        """Do it once, with what it begins kept under the effect's own key and counted in a scope of its own.

        Of a recorded effect nothing inside is begun again: steps there must not count among those around it, and what
        they took is kept with it.
        """
        run, effect = self._invocation.run, doing.effect
        scope = Scope(self._invocation.scope.pipeline_name, self._invocation.scope)
        spending = pipelines.SpendingCodec(effect.name, doing.codec, scope)
        performing = _Performing(self, doing, scope, spending)
        is_cut_off = False
        try:
            return spending.as_kept(await pipelines.do_once(journal, performing.doing()))
        except asyncio.CancelledError:
            is_cut_off = True  # a write stays among those that are under way: it has to be found out about
            run.note_failure(effect, DeadlineExceededError(f"{effect.name} was cut off"), spending)
            raise
        except Exception as error:
            run.note_failure(effect, error, spending)
            raise
        finally:
            if not is_cut_off:
                run.writing.pop(effect.key, None)
            if spending.is_undo_missing:
                scope.undo.append(self._undo_found_again(doing))
            spending.close()

    def _undo_found_again(self, doing: "Doing[Any]") -> Undo:
        """Undoes what ran inside an effect whose recorded outcome was returned.

        Its body is run once more: the effects inside come from the journal and offer to be undone. One that writes by
        itself cannot be run again.
        """

        async def find(is_failure_kept: bool) -> Sequence[Undo]:
            if doing.effect.kind == "write":
                raise LogicalError(
                    f"{doing.effect.name}: what it ran can no longer be undone after an interruption, because it also "
                    "writes by itself; undo it by hand, or declare the tool `idempotent`"
                )
            scope = Scope(self._invocation.scope.pipeline_name, self._invocation.scope)
            await self._acted(doing.act, scope, doing.effect.key)
            return scope.undo

        return find

    async def undo(
        self,
        act: Callable[[], Awaitable[object]],
        *,
        kind: EffectKind,
        name: str,
        is_undone: Callable[[], Awaitable[bool]] | None = None,
        is_failure_kept: bool = False,
        args: Mapping[str, Any] | None = None,
    ) -> None:
        """Undo an effect of this step, once. `args` tell a person what the effect was about.

        If the failure that led to it is kept, a run that is repeated because this one died goes on with undoing; else
        it does the effect again. `is_undone` finds out about an undoing that was interrupted; without it, the one who
        decides in this run is asked.
        """
        run, effect = self._invocation.run, self._effect(name, kind)
        if run.journal is None:
            await act()
        else:
            await pipelines.do_once(run.journal, self._undoing(effect, act, is_undone, args))
            if is_failure_kept:
                run.undone.append(effect)
            else:
                await pipelines.forget(run.journal, effect)
        self._invocation.scope.agents.writes -= kind == "write"

    def _undoing(
        self,
        effect: Effect,
        act: Callable[[], Awaitable[object]],
        is_undone: Callable[[], Awaitable[bool]] | None,
        args: Mapping[str, Any] | None,
    ) -> "Doing[bool]":
        undoing = pipelines.undoing_of(effect)

        async def undo() -> bool:
            await act()
            return True

        async def look_up(_: Pending) -> bool | None:
            assert is_undone is not None
            return True if await is_undone() else None

        return pipelines.Doing(
            effect=undoing,
            act=undo,
            codec=pipelines.DONE,
            reconcile=None if is_undone is None else look_up,
            ask=pipelines.asking_about(self, undoing.name, done=lambda _: True, args=args),
            sleep=self._invocation.run.clock.sleep,
        )

    def _count_write(self, kind: EffectKind, *, has_happened: bool = True) -> None:
        """Mark that this step wrote, or may have: it must not be repeated as if it had not."""
        self._invocation.scope.agents.writes += kind == "write" and has_happened

    def _effect(self, name: str, kind: EffectKind) -> Effect:
        return Effect(key=f"{self.key}:{name}", kind=kind, name=name)


class _Performing(Generic[T]):
    """An effect that is carried out as a part of its step, in a scope of its own.

    It does not hold what `doing` gives, which holds it: every effect would be left to the garbage collector.
    """

    __slots__ = ("_ctx", "_scope", "_spending", "_wanted")

    def __init__(self, ctx: Context, wanted: "Doing[T]", scope: Scope, spending: "SpendingCodec[T]") -> None:
        self._ctx = ctx
        self._wanted = wanted
        self._scope = scope
        self._spending = spending

    def doing(self) -> "Doing[T]":
        """The effect, done here and kept with what it took."""
        return self._wanted.done_by(self._act, self._spending)

    async def _act(self) -> T:
        run, effect = invocation_of(self._ctx).run, self._wanted.effect
        if run.journal is not None and (effect.kind == "idempotent" or is_carrying()):
            # An idempotent effect changes the world without an intent of its own: what led to it must not be lost
            # and come out otherwise when the run is repeated. And the span that an outgoing call belongs to is
            # known only once its event has been shown.
            await run.emitter.barrier()
        if effect.kind == "write":
            run.writing[effect.key] = self.doing()
        return await self._ctx._acted(self._wanted.act, self._scope, effect.key)  # noqa: SLF001 - its own part


def invocation_of(ctx: Context) -> Invocation:
    """What the runtime knows of the step that a context belongs to; not for steps of one's own."""
    return ctx._invocation  # noqa: SLF001 - the one door


current_context: ContextVar[Context | None] = ContextVar("batuta_context", default=None)
"""The context of the step that is running in this task."""
