"""The first team on the built-in model, asked in process: what came of a conversation, and whether that is right."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from batuta.agents.appointments.calendar_file import CalendarFile
from batuta.agents.appointments.models import Appointment
from batuta.conversations.conversation import Conversation
from batuta.datasets.dataset import DATASETS_SERVICE
from batuta.datasets.library import DatasetLibrary
from batuta.datasets.memory import MemoryDatasetStore
from batuta.datasets.store import DatasetOwner
from batuta.events.tools import ApprovalRequested, ToolRequest
from batuta.kernel.approvals import ApprovalDecision, ApprovalRequest
from batuta.kernel.ids import new_id
from batuta.kernel.users import LANGUAGE_SERVICE, TIME_ZONE_SERVICE, ToolUser
from batuta.llm.providers import OFFLINE_MODEL
from batuta.server.config import load_settings
from batuta.server.team import FirstTeam, first_team
from batuta.testing.clock import FakeClock
from tests.support.learnt import with_learnt

NOW = datetime(2026, 11, 16, 9, tzinfo=UTC)
ZONE = "Europe/Madrid"
APPOINTMENTS = (
    ("Meeting with Ana", "2026-11-17T10:00+01:00", 60, "Ana"),
    ("Call with Luis", "2026-11-18T16:00+01:00", 30, "Luis"),
    ("Dentist", "2026-11-19T09:30+01:00", 60, None),
    ("Lunch with Marta", "2026-11-20T13:00+01:00", 90, "Marta"),
)
"""What the calendar holds: title, start, minutes, with whom."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What the last message of a conversation led to."""

    answer: str
    calls: tuple[ToolRequest, ...]
    approvals: tuple[ApprovalRequested, ...]

    def __str__(self) -> str:
        called = ", ".join(f"{call.tool_name}({call.args})" for call in self.calls)
        return f"{self.answer[:300]!r} {called[:300]} {[each.args for each in self.approvals]}"


class AskedTeam:
    """A team on a data folder of its own, with a calendar for each conversation.

    Enter or prepare its `team` before it is asked: until then it knows no name of the business.
    """

    def __init__(self, data_dir: Path, **settings: Any) -> None:
        self.data_dir = data_dir
        self._calendar = b""
        self.team: FirstTeam = first_team(
            load_settings({}, data_dir=with_learnt(data_dir), model=OFFLINE_MODEL, **settings), clock=FakeClock(NOW)
        )

    async def ask(self, messages: Sequence[str], language: str) -> Outcome:
        """Send messages one after the other; what needs approval is refused, as one who only looks would."""
        user, session_id = ToolUser(id=new_id()), new_id()
        self._fill_calendar(str(user.id))
        library = DatasetLibrary(store=MemoryDatasetStore(), owner=DatasetOwner(session_id=session_id))
        services: dict[str, Any] = {
            DATASETS_SERVICE: library, LANGUAGE_SERVICE: language, TIME_ZONE_SERVICE: ZONE,
        }  # fmt: skip
        conversation, turn = Conversation(), None
        for message in messages:
            turn = await self.team.orchestrator.run(
                message, conversation=conversation, session_id=session_id, services=services, user=user,
                approver=_Refusing(),
            )  # fmt: skip
        assert turn is not None
        return Outcome(
            answer=turn.answer or str(turn.error),
            calls=tuple(event for event in turn.events if isinstance(event, ToolRequest)),
            approvals=tuple(event for event in turn.events if isinstance(event, ApprovalRequested)),
        )

    def _fill_calendar(self, user_id: str) -> None:
        folder = self.data_dir / "calendars"
        if not self._calendar:
            self._calendar = _filled_calendar(folder)
        (folder / f"{user_id}.ics").write_bytes(self._calendar)


def _filled_calendar(folder: Path) -> bytes:
    """The appointments as a file, written once for all conversations of a team."""
    folder.mkdir(exist_ok=True)
    path = folder / "filled.ics"
    calendar = CalendarFile(path, ZONE)
    for title, start, minutes, contact in APPOINTMENTS:
        begins = datetime.fromisoformat(start)
        ends = begins + timedelta(minutes=minutes)
        calendar.add(Appointment(uid=title.replace(" ", "-"), title=title, start=begins, end=ends, contact=contact))
    return path.read_bytes()


class _Refusing:
    async def decide(self, request: ApprovalRequest) -> ApprovalDecision:
        return ApprovalDecision.reject()


def is_right(outcome: Outcome, expected: str) -> bool:
    """Whether an outcome is what a line of `questions` asks for."""
    kind, _, rest = expected.partition(" ")
    return _CHECKS[kind](outcome, rest.strip())


def wrong_action(outcome: Outcome, expected: str) -> bool:
    """A change was about to be made that nobody asked for, or another one than was asked for."""
    return bool(outcome.approvals) and not is_right(outcome, expected)


def _says(outcome: Outcome, words: str) -> bool:
    said = outcome.answer.casefold()
    return not outcome.approvals and all(
        any(_said(choice.strip(), said) for choice in part.split("/")) for part in words.split("&")
    )


def _said(word: str, said: str) -> bool:
    if re.fullmatch(r"\d+(?:\.\d+)?", word):
        plain = re.sub(r"(?<=\d)[.,](?=\d{3}\b)", "", said).replace(",", ".")
        forms = [plain, said, said.replace(",", ".")]
        ending = "" if "." in word else r"(?![.:]?\d)"
        return any(re.search(rf"(?<![\d.:]){re.escape(word)}{ending}", form) for form in forms)
    return word in said


def _starts(outcome: Outcome, tool: str, wanted: str) -> bool:
    """`2026-11-17 10:00 / 2026-11-24 10:00, 45 min, ana`: one of these starts, this length, this word in its title."""
    if [each.tool_name for each in outcome.approvals] != [tool]:
        return False
    args = outcome.approvals[0].args
    starts, *facts = wanted.split(",")
    start = datetime.fromisoformat(str(args["start"])).astimezone(ZoneInfo(ZONE)).strftime("%Y-%m-%d %H:%M")
    said = f"{args['duration_minutes']} min {args['title']} {args.get('with_whom')}".casefold()
    return start in [each.strip() for each in starts.split("/")] and all(fact.strip() in said for fact in facts)


def _cancels(outcome: Outcome, word: str) -> bool:
    return [each.tool_name for each in outcome.approvals] == ["cancel_appointment"] and word in str(
        outcome.approvals[0].args["title"]
    ).casefold()


def _called(*tools: str) -> Callable[[Outcome, str], bool]:
    def check(outcome: Outcome, words: str) -> bool:
        if outcome.approvals:
            return False
        return any(
            call.tool_name in tools and all(re.search(rf"\b(?:by_)?{word}\b", str(call.args)) for word in words.split())
            for call in outcome.calls
        )

    return check


def _draws(outcome: Outcome, words: str) -> bool:
    return not outcome.approvals and bool(outcome.calls) and _called("draw_chart", "change_chart")(outcome, words)


_REFUSALS = ("I cannot answer", "No puedo responder", "The documents do not", "Los documentos no")


def _refuses(outcome: Outcome, _: str) -> bool:
    return not outcome.approvals and outcome.answer.startswith(_REFUSALS)


def _talks(outcome: Outcome, _: str) -> bool:
    return not outcome.calls and not outcome.answer.startswith(_REFUSALS)


_CHECKS: dict[str, Callable[[Outcome, str], bool]] = {
    "says": _says,
    "books": lambda outcome, start: _starts(outcome, "create_appointment", start),
    "moves": lambda outcome, start: _starts(outcome, "move_appointment", start),
    "cancels": _cancels,
    "does": lambda outcome, tools: [each.tool_name for each in outcome.approvals] == tools.split(),
    "changes": lambda outcome, _: not outcome.approvals,
    "measure": _called("compute_measure"),
    "finds": _called("read_records", "find_record"),
    "draws": _draws,
    "refuses": _refuses,
    "talks": _talks,
}
