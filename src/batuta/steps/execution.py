"""One execution of an agent: a ladder from the outside in.

run               started … completed or failed; the fallback, if all else fails
_corrected      answer, judge, correct, at most so many times
Dialogue.ask  the model and its tools
"""

from functools import partial
from typing import TYPE_CHECKING, Any

from batuta.kernel.errors import RecordingFailedError, StepFailedError, Suspended, TransientError
from batuta.kernel.messages import Message, separated
from batuta.pipelines.context import Context, invocation_of
from batuta.pipelines.scope import Scope
from batuta.resilience.observer import observing
from batuta.steps.agent_telemetry import AgentTelemetry
from batuta.steps.correction import AttemptsExhaustedError, Corrections
from batuta.steps.dialogue import Dialogue
from batuta.steps.judging import VerdictError, confidence_of, declared

if TYPE_CHECKING:
    from batuta.steps.agent import AgentStep


class AgentExecution:
    """Everything that belongs to one run of one agent."""

    def __init__(self, agent: "AgentStep[Any, Any]", value: Any, outer: Context) -> None:
        self._agent = agent
        self._value = value
        around = invocation_of(outer)
        self._scope = Scope(around.scope.pipeline_name, around.scope)
        self._tally = self._scope.tally
        self._ctx = around.within(self._scope)
        self._scope.parent_trace_id = around.run.emitter.trace_id  # agents below work for this execution
        self._telemetry = AgentTelemetry(agent, self._ctx, value)
        self._corrections = Corrections(agent.attempts)
        self._cache_key: str | None = None
        if isinstance(value, Message):
            self._request = value
        else:  # pictures and documents in it are attached, not written out
            rest, attached = separated(value)
            self._request = Message.user(agent.prompt_for(value, rest), *attached)
        self._model = agent.model_for(self._ctx)
        self._dialogue = Dialogue(agent, self._model, self._ctx)
        self._telemetry.on_void = partial(self._dialogue.discard, "retried")

    async def run(self) -> Any:
        """Bring a valid result, or fail having tried everything."""
        agents, around = self._scope.agents, self._scope.parent
        agents.executed += 1
        await self._telemetry.started(self._model, around.parent_trace_id if around is not None else None)
        try:
            with observing(self._telemetry):
                output = await self._corrected()
        except Suspended:
            raise
        except BaseException as error:
            agents.retried += self._telemetry.was_retried
            return await self._fall_back(error)
        else:
            agents.succeeded += 1
            agents.retried += self._telemetry.was_retried
            agents.last_confidence = confidence_of(output)
            await self._telemetry.completed(output, self._tally, self._cache_key)
            return output
        finally:
            self._scope.hand_over_undo()
            self._scope.close()

    async def _corrected(self) -> Any:
        """Answer and judge until an answer holds or the attempts are used up."""
        self._dialogue.opening = await self._agent.opening(self._request, self._ctx)
        corrections = self._corrections
        while True:
            spoken = await self._dialogue.ask(corrections.feedback)
            text = spoken.answer.text
            self._tally.attempts += 1
            try:
                output = await self._agent.judge(text, self._ctx, is_cut=spoken.answer.stop_reason == "max_tokens")
            except VerdictError as verdict:
                corrections.add(verdict.kind, text, verdict.reason, self._agent.feedback_tokens, verdict.confidence)
                is_final = corrections.are_used_up
                await self._telemetry.rejected(corrections, text, is_final=is_final)
                await self._dialogue.discard("rejected")
                if is_final:
                    raise corrections.exhausted(self._agent.name) from verdict.reason
                self._tally.cognitive_retries += 1
                continue
            await self._telemetry.corrected(is_successful=True)
            self._cache_key = spoken.answer.cache_key
            await self._dialogue.emit(spoken)
            if self._ctx.conversation is not None and self._agent.remembers:
                # The valid answer joins it: the request, the tool exchange, the answer, and nothing else.
                answer = spoken.answer.as_message(self._dialogue.agent_id)
                self._ctx.conversation.add(self._request, *self._dialogue.exchange, answer)
            return self._agent.finished(output, self._value, spoken.answer)

    async def _fall_back(self, error: BaseException) -> Any:
        """The fallback's result, or the error."""
        if isinstance(error, Exception):
            await self._take_back(error)
            await self._telemetry.corrected(is_successful=False)
        self._telemetry.note_failure()
        fallback = self._agent.fallback if _calls_for_fallback(error) else None
        if fallback is not None and self._scope.agents.writes:
            _say_why_no_fallback_ran(error, fallback.name)
            fallback = None
        if fallback is None:
            self._scope.agents.failed += 1
            await self._telemetry.failed(error)
            raise error
        self._scope.is_standing_in = True
        await self._ctx.go_on()
        try:
            output = await self._ctx.invoke(fallback, self._value)
        except Suspended:
            raise
        except BaseException as failure:  # it failed too, or was cut off: the execution ends either way
            await self._fell_back(error, None, is_successful=False)
            if isinstance(failure, StepFailedError):
                raise error from None
            raise
        await self._fell_back(error, output, is_successful=True)
        self._scope.agents.is_partial = True
        self._scope.agents.last_confidence = confidence_of(output)
        self._tally.note_fallback(fallback.name, declared(output, "confidence"))
        return output

    async def _take_back(self, error: Exception) -> None:
        """What was shown of an answer that never came is void. A failing retraction does not hide the error."""
        try:
            await self._dialogue.discard("failed")
        except Exception as other:
            error.add_note(f"what was streamed could not be taken back: {other!r}")

    async def _fell_back(self, error: BaseException, output: Any, *, is_successful: bool) -> None:
        self._scope.agents.failed += 1
        await self._telemetry.fell_back(error, output, self._corrections, is_successful=is_successful)
        await self._telemetry.failed(error, fallback_successful=is_successful)


def _calls_for_fallback(error: BaseException) -> bool:
    """Whether attempts or the provider are exhausted (F-28); a broken recorder is neither.

    A refusal for safety and a budget that is used up are decisions: a fallback would get around them.
    """
    return isinstance(error, (AttemptsExhaustedError, TransientError)) and not isinstance(error, RecordingFailedError)


def _say_why_no_fallback_ran(error: BaseException, fallback: str) -> None:
    """A fallback begins anew with the same request: what was written, or may have been, would be written twice."""
    error.args = (
        f"{error}; {fallback} does not stand in, because something was written, or may have been",
        *error.args[1:],
    )
