"""The differential suite finds faults when they are put back, one by one, and makes failing programs small (F-90)."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic import model_validator

from batuta import pipelines
from batuta.events.conversation import Complete
from batuta.events.queue import Recovered
from batuta.eventstore.memory_turns import MemoryTurnQueue
from batuta.kernel.errors import LogicalError, StepFailedError
from batuta.kernel.messages import Answer
from batuta.llm import budgeted
from batuta.llm.model import ModelRequest
from batuta.llm.openai import encode_chat as openai_chat
from batuta.llm.openai.client import OpenAIChatModel
from batuta.llm.providers import OPENAI
from batuta.llm.resilient import ResilientModel
from batuta.orchestration import supervisor
from batuta.orchestration.memory import conversation_before
from batuta.orchestration.orchestrator import TurnStep
from batuta.pipelines import journaling
from batuta.pipelines.context import Context
from batuta.pipelines.input_digest import json_digest_of
from batuta.pipelines.result import StepError, Tally
from batuta.pipelines.runner import Run
from batuta.steps import model_calls
from batuta.testing.modes.checking import DECLARED, MODES, check_program, differences_of, modes_of, shrunk
from batuta.testing.modes.expected import expected_outcome
from batuta.testing.modes.programs import (
    ALWAYS_WRONG,
    ActionNode,
    AgentNode,
    ParallelNode,
    PipelineNode,
    PlainNode,
    Program,
    ProgramNode,
    RecoverNode,
    RepeatNode,
    nodes_of,
    random_program,
)
from batuta.testing.modes.running import ModeOutcome

IN_MEMORY = tuple(mode for mode in MODES if mode.store not in ("sqlite", "postgres"))
"""The faults below show without a database."""

Put = Callable[[pytest.MonkeyPatch], None]


def program(*parts: ProgramNode, **facts: Any) -> Program:
    return Program(members=(PipelineNode(name="main", parts=parts),), **facts)


def undone_never_in_durable_runs(patch: pytest.MonkeyPatch) -> None:
    """A durable run forgets how to undo."""
    effect = Context.effect

    async def forgetful(self: Context, *args: Any, **options: Any) -> Any:
        value = await effect(self, *args, **options)
        if self._invocation.run.journal is not None:
            self._invocation.scope.undo.clear()
        return value

    patch.setattr(Context, "effect", forgetful)


def streams_never_reach_the_breaker(patch: pytest.MonkeyPatch) -> None:
    """A streamed success is not reported."""
    told = ResilientModel._report_outcome
    stream = ResilientModel._stream_once

    async def without_success(self: ResilientModel, error: BaseException | None) -> None:
        if error is not None:
            await told(self, error)

    def streamed(self: ResilientModel, request: ModelRequest) -> Any:
        deaf = ResilientModel(self.inner, self.protection)
        deaf._report_outcome = without_success.__get__(deaf)  # type: ignore[method-assign]
        return stream(deaf, request)

    patch.setattr(ResilientModel, "_stream_once", streamed)


def one_breaker_for_all_addresses(patch: pytest.MonkeyPatch) -> None:
    """Endpoints with different addresses share a breaker."""
    patch.setattr(OpenAIChatModel, "service", property(lambda self: self.provider))


def answers_of_other_inputs(patch: pytest.MonkeyPatch) -> None:
    """What a journal holds is returned for other inputs: repetitions of a step are not told apart."""
    patch.setattr("batuta.pipelines.runner.Run.numbered", lambda self, path, parent: path)


def undo_under_the_actions_own_note(patch: pytest.MonkeyPatch) -> None:
    """An undo has the key of its action, so the journal takes it for done."""
    patch.setattr(pipelines, "undoing_of", lambda effect: effect)


def tools_of_the_provider_instead_of_the_agents(patch: pytest.MonkeyPatch) -> None:
    """`extra={"tools": …}` drops the agent's own tools."""

    def encode(request: ModelRequest, model: str, dialect: Any = OPENAI) -> Any:
        extra = request.settings.extra
        body = _encode(replace(request, settings=replace(request.settings, extra={})), model, dialect)
        return {**body, **extra}

    patch.setattr("batuta.llm.openai.encode_chat.encode_request", encode)


_encode = openai_chat.encode_request


def clock_of_the_run_ignored(patch: pytest.MonkeyPatch) -> None:
    """Models wait by a clock of their own."""

    class Impatient:
        """Nobody waits for it."""

        now = staticmethod(lambda: None)
        monotonic = staticmethod(lambda: 0.0)

        @staticmethod
        async def sleep(seconds: float) -> None:
            await asyncio.sleep(0)

    patch.setattr(model_calls, "replace", lambda protection, clock: replace(protection, clock=Impatient()))


def costs_not_counted_after_a_kill(patch: pytest.MonkeyPatch) -> None:
    """An answer that comes from the journal costs nothing."""
    add_call = Tally.add_call
    asked: list[bool] = []
    generate = OpenAIChatModel.generate

    async def noted(self: OpenAIChatModel, request: ModelRequest) -> Answer:
        asked.append(True)
        return await generate(self, request)

    def counted(self: Tally, usage: Any, cost: Any) -> None:
        if asked:
            asked.clear()
            add_call(self, usage, cost)

    patch.setattr(OpenAIChatModel, "generate", noted)
    patch.setattr(Tally, "add_call", counted)


def intents_forgotten(patch: pytest.MonkeyPatch) -> None:
    """A write whose outcome is unknown after a kill is done again without asking."""
    settle = journaling._settle

    async def begun_again(journal: Any, doing: Any, known: Any, lost: Any = None) -> Any:
        if lost is not None:
            return await settle(journal, doing, known, lost)
        return await journaling._begin(journal, doing)

    patch.setattr(journaling, "_settle", begun_again)


def conclusions_in_the_conversation(patch: pytest.MonkeyPatch) -> None:
    """What the supervisor is asked by code joins the person's conversation."""
    patch.setattr("batuta.orchestration.supervisor._Aside.remembers", True)


def effects_in_the_scope_of_the_step(patch: pytest.MonkeyPatch) -> None:
    """What runs inside a tool does not count with its agent when there is no journal."""

    async def acted(self: Context, act: Any, *_: Any) -> Any:
        return await act()

    patch.setattr(Context, "_acted", acted)


def undo_of_what_a_tool_ran_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Of a tool whose result is recorded nobody knows any more how to undo what it ran."""

    async def nothing(_: bool) -> None: ...

    patch.setattr(Context, "_undo_found_again", lambda self, doing: nothing)


def failures_kept_around_what_failed(patch: pytest.MonkeyPatch) -> None:
    """When undoing begins, the whole step that failed is kept: what agents took in it does not count again."""

    async def at_the_outermost_step(self: Run, key: str, error: BaseException) -> bool:
        assert self.journal is not None
        assert isinstance(error, StepFailedError)
        place = f"{key}/{error.error.path.removeprefix(key).split('/')[1]}"
        await journaling.keep_failure(self.journal, journaling.failure_of_step(place), error)
        return True

    begin = Run.begin_undoing

    async def begin_undoing(self: Run, key: str, error: BaseException) -> bool:
        is_kept = self.journal is not None and bool(key) and isinstance(error, StepFailedError)
        return await (at_the_outermost_step if is_kept else begin)(self, key, error)

    patch.setattr(Run, "begin_undoing", begin_undoing)


def returned_failures_kept_as_raised(patch: pytest.MonkeyPatch) -> None:
    """Of a failure that a step returned, its message alone is kept."""
    keep = journaling.keep_failure

    async def kept(journal: Any, effect: Any, error: Exception, costs: Any = None) -> None:
        is_returned = isinstance(error, StepFailedError) and error.error.exception is None
        await keep(journal, effect, LogicalError(error.error.message) if is_returned else error, costs)  # type: ignore[attr-defined]

    patch.setattr(pipelines, "keep_failure", kept)


def only_categories_of_failures_kept(patch: pytest.MonkeyPatch) -> None:
    """A step that goes on by the class of an error takes another way when it is repeated."""
    patch.setattr(journaling, "_as_first_raised", lambda facts: None)


def failed_turns_remembered(patch: pytest.MonkeyPatch) -> None:
    """What was said before a turn failed joins the next turn's conversation."""

    def all_ends_well(events: Any, turn_id: str) -> Any:
        ended = [one.model_copy(update={"status": "success"}) if isinstance(one, Complete) else one for one in events]
        return conversation_before(ended, turn_id)

    patch.setattr("batuta.testing.modes.running.conversation_before", all_ends_well)


def broken_streams_not_told(patch: pytest.MonkeyPatch) -> None:
    """What budgets are charged for a stream that broke is in no event."""
    patch.setattr(budgeted, "note_lost_try", lambda amount: None)


def expired_leases_never_taken_up(patch: pytest.MonkeyPatch) -> None:
    """A turn whose owner died stays with it for ever."""

    async def nothing(_: MemoryTurnQueue) -> Recovered:
        return Recovered()

    patch.setattr(MemoryTurnQueue, "recover", nothing)


def inputs_of_a_journal_not_checked(patch: pytest.MonkeyPatch) -> None:
    """A journal that was used answers another request with what belongs to the first."""

    async def unchecked(journal: Any, step_name: str, value: Any, run_key: str) -> str:
        return run_key

    patch.setattr(pipelines, "check_input", unchecked)


def objects_without_fields_not_checked(patch: pytest.MonkeyPatch) -> None:
    """A journal that was used with an object of a plain class answers every other one with what belongs to it."""

    async def unchecked(journal: Any, step_name: str, value: Any, run_key: str) -> str:
        if json_digest_of(value) is None:
            return run_key
        return await journaling.check_input(journal, step_name, value, run_key)

    patch.setattr(pipelines, "check_input", unchecked)


def objects_shown_by_their_address(patch: pytest.MonkeyPatch) -> None:
    """A person who is asked about a write cannot see what it was about."""
    patch.setattr("batuta.steps.action._described", str)


def failed_undo_not_told_by_turns(patch: pytest.MonkeyPatch) -> None:
    """The error of a turn does not name what could not be undone."""
    tell = TurnStep._emit_error

    async def told(self: TurnStep, ctx: Context, failure: StepError) -> None:
        await tell(self, ctx, replace(failure, rollback_failures=()))

    patch.setattr(TurnStep, "_emit_error", told)


def announced_plans_refused(patch: pytest.MonkeyPatch) -> None:
    """A plan with words beside its steps is taken for a mistake, as often as it comes."""

    class StrictDecision(supervisor.Decision):
        @model_validator(mode="before")
        @classmethod
        def refuse(cls, given: dict[str, Any]) -> dict[str, Any]:
            if {"steps", "answer"} <= given.get("decision", given).keys():
                raise ValueError("give either steps or an answer")
            return given

    def strict(known_agents: frozenset[str], max_steps: int) -> type[supervisor.Decision]:
        limits = {"known_agents": known_agents, "max_steps": max_steps, "__module__": __name__}
        return type("Strict", (StrictDecision,), limits)

    patch.setattr(supervisor, "decision_type", strict)


reserve = ActionNode(name="reserve")
reserve_more = ActionNode(name="reserve-more", returns=True)
charge = PlainNode(name="charge", fate="fails")
refuse = PlainNode(name="refuse", fate="refuses")
talk = AgentNode(name="talk")
lost = AgentNode(name="lost", wrong=ALWAYS_WRONG)
write = AgentNode(name="write", rounds=(("note",),))

pair = Program(
    members=tuple(PipelineNode(name=name, parts=(PlainNode(name=f"{name}-work"),)) for name in ("one", "two")),
    depends_on=((), ()),
)
two_that_are_not_well = program(
    RecoverNode(name="first", child=AgentNode(name="ill", endpoint=0)),
    RecoverNode(name="second", child=AgentNode(name="worse", endpoint=0)),
    AgentNode(name="well", endpoint=1),
    health=("down", "up"),
)
writes = tuple(ActionNode(name=f"act{number}", can_tell=number % 2 == 0) for number in range(8))

FAULTS: dict[str, tuple[Put, Program]] = {
    "a durable run never rolls back": (undone_never_in_durable_runs, program(reserve, charge)),
    "a streamed success never reaches the breaker": (
        streams_never_reach_the_breaker,
        program(RepeatNode(name="again", child=talk, times=6), health=("flaky",)),
    ),
    "addresses share a breaker": (
        one_breaker_for_all_addresses,
        two_that_are_not_well,
    ),
    "a journal returns what belongs to other inputs": (
        answers_of_other_inputs,
        program(RepeatNode(name="again", child=talk, times=2)),
    ),
    "an undo has the id of its action": (
        undo_under_the_actions_own_note,
        program(RecoverNode(name="go-on", child=PipelineNode(name="try", parts=(reserve, charge))), write, talk),
    ),
    "extra tools drop the agent's": (
        tools_of_the_provider_instead_of_the_agents,
        program(AgentNode(name="write", rounds=(("note",),), has_extra_tools=True)),
    ),
    "the clock of a run is ignored": (clock_of_the_run_ignored, program(talk, health=("flaky",))),
    "answers from a journal cost nothing": (costs_not_counted_after_a_kill, program(talk, write)),
    "an interrupted write is repeated blindly": (
        intents_forgotten,
        program(*writes),
    ),
    "the supervisor's questions join the conversation": (conclusions_in_the_conversation, pair),
    "what a tool runs does not count with its agent": (
        effects_in_the_scope_of_the_step,
        program(
            AgentNode(
                name="boss",
                rounds=(("delegate",),),
                delegate=PipelineNode(name="below", parts=(talk,)),
            )
        ),
    ),
    "what a recorded tool ran is not undone": (
        undo_of_what_a_tool_ran_forgotten,
        program(
            AgentNode(
                name="boss", rounds=(("delegate",),), delegate=PipelineNode(name="below", parts=(reserve, reserve_more))
            ),
            talk,
            charge,
        ),
    ),
    "an agent that failed costs nothing after a kill": (
        failures_kept_around_what_failed,
        program(reserve, reserve_more, lost),
    ),
    "a failure that a step returned changes its category": (
        returned_failures_kept_as_raised,
        program(reserve, refuse),
    ),
    "a failure loses its class": (only_categories_of_failures_kept, two_that_are_not_well),
    "a failed turn is remembered": (failed_turns_remembered, program(talk, charge)),
    "what a broken stream cost is not told": (
        broken_streams_not_told,
        program(talk, health=("breaks",), budget="ample"),
    ),
    "a lease that ran out is never taken up": (expired_leases_never_taken_up, program(talk, reserve)),
    "the input of a journal is not checked": (inputs_of_a_journal_not_checked, program(talk)),
    "objects of a plain class are not told apart": (
        objects_without_fields_not_checked,
        program(talk, form="plain class"),
    ),
    "an object is shown by its address": (objects_shown_by_their_address, program(*writes, form="plain class")),
    "what could not be undone is not told": (
        failed_undo_not_told_by_turns,
        program(ActionNode(name="book", undo_fails=True), charge),
    ),
    "a plan with words beside its steps is refused": (announced_plans_refused, replace(pair, plan="announced")),
}
"""Every fault, and a program that shows it."""


@pytest.mark.parametrize("fault", FAULTS)
async def test_a_fault_that_is_put_back_is_found(fault: str, monkeypatch: pytest.MonkeyPatch) -> None:
    put, shown_by = FAULTS[fault]
    for seed in range(2):
        assert not await differences_of(shown_by, IN_MEMORY, {}, seed)
    put(monkeypatch)
    for seed in range(40):
        if await differences_of(shown_by, IN_MEMORY, {}, seed):
            return
    raise AssertionError(f"{fault}: nobody noticed")


def _anything(_: Program) -> bool:
    return True


def _undoes_what_cannot_be_undone(one: Program) -> bool:
    nodes = [node for member in one.members for node in nodes_of(member)]
    can_fail = any(isinstance(node, ActionNode) and node.undo_fails for node in nodes)
    return can_fail and expected_outcome(one).value is None


FOUND_BY_ITSELF: dict[Put, Callable[[Program], bool]] = {
    broken_streams_not_told: _anything,
    expired_leases_never_taken_up: _anything,
    inputs_of_a_journal_not_checked: _anything,
    objects_without_fields_not_checked: lambda one: one.form == "plain class",
    failed_undo_not_told_by_turns: _undoes_what_cannot_be_undone,
    announced_plans_refused: lambda one: one.plan == "announced",
    returned_failures_kept_as_raised: lambda one: any(
        isinstance(node, PlainNode) and node.fate == "refuses" for member in one.members for node in nodes_of(member)
    ),
}
"""Faults that the first hundreds of programs show, and which of them are worth running for it."""


@pytest.mark.parametrize("put", FOUND_BY_ITSELF)
async def test_generated_programs_find_a_fault_by_themselves(put: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    put(monkeypatch)
    for seed in range(400):
        one = random_program(seed)
        if FOUND_BY_ITSELF[put](one) and await differences_of(one, IN_MEMORY, {}, seed):
            monkeypatch.undo()
            assert not await differences_of(one, IN_MEMORY, {}, seed)
            return
    raise AssertionError("all programs came to the same in all modes")


async def test_a_failing_program_is_made_small_and_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    streams_never_reach_the_breaker(monkeypatch)
    large = program(
        PlainNode(name="before"),
        ParallelNode(name="side", branches=(PlainNode(name="left"), PlainNode(name="right"))),
        RepeatNode(name="again", child=talk, times=6),
        health=("flaky", "flaky"),
    )
    with pytest.raises(AssertionError, match=r"seed 1 comes to something else") as failure:
        await check_program(large, IN_MEMORY, {}, seed=1)
    assert "ParallelNode" not in str(failure.value)
    assert "AgentNode(name='talk'" in str(failure.value)


async def test_a_sound_program_is_not_made_smaller() -> None:
    async def is_faulty(candidate: Program) -> bool:
        return len(candidate.members[0].parts) >= 2

    small = await shrunk(program(reserve, charge, talk), is_faulty)
    assert len(small.members[0].parts) == 2


def test_the_programs_are_worth_the_name() -> None:
    """Everything that a program may hold is in some of the first hundred, and they succeed, fail and undo."""
    programs = [random_program(seed) for seed in range(100)]
    kinds = {type(node).__name__ for one in programs for member in one.members for node in nodes_of(member)}
    assert len(kinds) == 9
    outcomes = [expected_outcome(one) for one in programs]
    assert 15 < sum(outcome.value is None for outcome in outcomes) < 85
    assert sum(bool(outcome.undone) for outcome in outcomes) > 10
    assert sum(one.is_team for one in programs) > 10
    assert {one.budget for one in programs} == {"none", "ample", "used up"}
    assert {one.form for one in programs} == {"text", "plain class", "data class"}
    assert {one.plan for one in programs} == {"whole", "bare", "announced"}
    assert any(one.fails_whole for one in programs)
    assert random_program(17) == random_program(17)


def test_two_programs_are_run_in_all_modes() -> None:
    assert {*modes_of(0), *modes_of(1)} == set(MODES)
    assert len(modes_of(0)) == len(modes_of(1)) == len(MODES) - 4


def test_every_declared_difference_has_a_reason_and_an_aspect_that_exists() -> None:
    aspects = set(ModeOutcome.__dataclass_fields__)
    assert all(declared.aspect in aspects and declared.reason for declared in DECLARED)
