"""The appointment agent as a member of a team: it looks before it books, and books after approval (A-30)."""

from pathlib import Path

from batuta.agents.appointments.desk import Desk
from batuta.agents.appointments.tools import appointment_tools
from batuta.agents.appointments.understanding import UNDERSTANDING
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model, ModelSettings
from batuta.llm.roles import DEFAULT_ROLES
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.builtin.language import resolve_words_tool

AGENT_ID = "appointments_agent"

INSTRUCTIONS = (
    "You keep the user's calendar. For anything to be booked, moved, cancelled or asked about a time, first call "
    "`check_availability` with the whole request in the user's words: it knows today's date and the user's time zone, "
    "you do not. Use `resolve_words` for any other day, period or length that you have to name. "
    "If it names a `next_tool`, call that with the values it gave. Do not invent days, times or names. If "
    "the time is taken, say with what, and offer the alternatives. If a change is not approved, accept it. "
    "Answer in the language of the request."
)
EXAMPLES = {
    "en": (
        "Book a meeting with Ana tomorrow at 10am",
        "Move my meeting with Ana to Friday 3pm",
        "What appointments do I have this week?",
        "Cancel my meeting with Ana",
        "Am I free on Thursday at 11am?",
    ),
    "es": (
        "Cita mañana 10am con Dr. Pérez",
        "Mueve la reunión con Ana al viernes a las 15h",
        "¿Qué citas tengo esta semana?",
        "Cancela la cita con Dr. Pérez",
        "¿Estoy libre el jueves a las 11?",
    ),
}


def specialist(
    model: Model | str,
    *,
    data_dir: Path | str,
    clock: Clock = SYSTEM_CLOCK,
    time_zone: str = "UTC",
    settings: ModelSettings | None = None,
    is_streaming: bool = True,
) -> Specialist:
    """The agent as a member of a team; each user has a calendar file of their own below `data_dir`."""
    desk = Desk(folder=Path(data_dir) / "calendars", clock=clock, time_zone=time_zone)
    work = AgentStep(
        name=AGENT_ID,
        model=model,
        output=str,
        instructions=INSTRUCTIONS,
        tools=[*appointment_tools(desk), resolve_words_tool(clock, time_zone=time_zone)],
        settings=settings or DEFAULT_ROLES[AGENT_ID].settings,
        is_streaming=is_streaming,
    )
    return Specialist(
        work,
        name="Agenda",
        icon="📅",
        color="#EC4899",
        description="Books, moves, cancels and finds meetings in your calendar, and checks for conflicts",
        capabilities=(
            "create appointments",
            "move appointments",
            "cancel appointments",
            "list appointments",
            "check availability",
        ),
        commands=("/agenda",),
        examples=EXAMPLES,
        model_role=AGENT_ID,
        understanding=UNDERSTANDING,
    )
