"""Which answer comes next: rules first, then the script, then what the scenario says for the rest."""

from collections import Counter, deque
from dataclasses import dataclass
from typing import TypeAlias

from batuta.simulator.answers import Fault, PlannedAnswer
from batuta.simulator.echo import echo
from batuta.simulator.faults import FAULTS
from batuta.simulator.scenario import Scenario
from batuta.simulator.wire.asked import WireRequest

Slot: TypeAlias = tuple[str, int]
_REST: Slot = ("otherwise", 0)


@dataclass(frozen=True)
class Cue:
    """The answer to give, and the fault that strikes instead of or around it."""

    answer: PlannedAnswer
    fault: Fault | None


class Playback:
    """Plays one scenario; requests move it forward in the order they arrive."""

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._position = 0
        self._rule_uses: Counter[int] = Counter()
        self._strikes: Counter[Slot] = Counter()
        self._injected: deque[Fault] = deque()

    @property
    def unused_answers(self) -> int:
        return len(self.scenario.answers) - self._position

    def inject(self, fault: Fault) -> None:
        """Let a fault strike the next requests, as often as its ``times``, before any other."""
        self._injected.extend([fault] * fault.times)

    def next_fault(self, requested: Fault | None = None) -> Fault | None:
        """The fault that strikes a request no answer is planned for, such as one for embeddings."""
        return requested or (self._injected.popleft() if self._injected else None)

    def next(self, asked: WireRequest, requested: Fault | None = None) -> Cue:
        slot, answer = self._choose(asked)
        fault = self.next_fault(requested)
        is_own = fault is None and self._has_own_fault_left(slot, answer)
        if is_own:
            self._strikes[slot] += 1
            fault = answer.fault
        if self._is_spent(slot, answer, fault, is_own):
            self._consume(slot)
        return Cue(answer, fault)

    def _choose(self, asked: WireRequest) -> tuple[Slot, PlannedAnswer]:
        for index, rule in enumerate(self.scenario.rules):
            is_open = rule.times is None or self._rule_uses[index] < rule.times
            if is_open and rule.when.matches(asked):
                return ("rule", index), rule.answer
        if self._position < len(self.scenario.answers):
            return ("script", self._position), self.scenario.answers[self._position]
        return _REST, self._rest(asked)

    def _rest(self, asked: WireRequest) -> PlannedAnswer:
        scenario = self.scenario
        if scenario.otherwise == "repeat" and scenario.answers:
            return scenario.answers[-1].model_copy(update={"fault": None})
        if scenario.otherwise == "fail":
            message = (
                f"Scenario {scenario.name!r} has no answer left for this request ({len(scenario.answers)} were given)."
            )
            return PlannedAnswer(fault=Fault(kind="bad_request", message=message))
        return echo(asked)

    def _has_own_fault_left(self, slot: Slot, answer: PlannedAnswer) -> bool:
        if answer.fault is None:
            return False
        repeats = slot[0] != "script" and answer.is_only_a_fault
        return repeats or self._strikes[slot] < answer.fault.times

    def _is_spent(self, slot: Slot, answer: PlannedAnswer, fault: Fault | None, is_own: bool) -> bool:
        if fault is None or not FAULTS[fault.kind].fails:
            return True
        if not is_own or not answer.is_only_a_fault:
            return False
        return slot[0] != "script" or self._strikes[slot] >= fault.times

    def _consume(self, slot: Slot) -> None:
        kind, index = slot
        if kind == "script":
            self._position += 1
        elif kind == "rule":
            self._rule_uses[index] += 1
