"""The calculation and clock agent: numbers come from a calculator and times from a clock, never from a model."""

from batuta.agents.calculator.arithmetic import calculator_tool
from batuta.agents.calculator.calendar_days import days_tool
from batuta.agents.calculator.time_zones import (
    clock_tool,
    convert_time_tool,
    time_after_tool,
    time_between_tool,
    time_difference_tool,
)
from batuta.agents.calculator.understanding import UNDERSTANDING
from batuta.agents.calculator.units import units_tool
from batuta.kernel.clock import SYSTEM_CLOCK, Clock
from batuta.llm.model import Model, ModelSettings
from batuta.llm.roles import DEFAULT_ROLES
from batuta.orchestration.specialist import Specialist
from batuta.steps.agent import AgentStep
from batuta.tools.builtin.language import resolve_words_tool

AGENT_ID = "calculator_agent"

INSTRUCTIONS = (
    "You calculate and tell the time. Use `calculate` for every number you state, `current_time` for the date and time "
    "of now, `convert_time` for the time of one place in another, `time_difference` for how far two places are apart, "
    "`time_after` for when something ends or has to begin, `time_between` for how long it takes, `convert_units` for units, `count_days` for days and `resolve_words` for what words such as `next Friday` mean. "
    "State results as the tools give them; do not "
    "round unless asked. If a request is no calculation and no question about time, say so. Answer in the language of "
    "the request."
)
EXAMPLES = {
    "en": (
        "What is 15% of 1,200?",
        "What time is it in Tokyo?",
        "Convert 3pm from Madrid to New York",
        "What day is it today?",
    ),
    "es": ("¿Cuánto es el 21% de 350?", "¿Qué hora es en Buenos Aires?", "Raíz cuadrada de 144", "¿Qué día es hoy?"),
}


def specialist(
    model: Model | str,
    *,
    clock: Clock = SYSTEM_CLOCK,
    time_zone: str = "UTC",
    settings: ModelSettings | None = None,
    is_streaming: bool = True,
) -> Specialist:
    """The agent as a member of a team; `time_zone` is the user's own."""
    work = AgentStep(
        name=AGENT_ID,
        model=model,
        output=str,
        instructions=INSTRUCTIONS,
        tools=[
            calculator_tool(),
            clock_tool(clock, time_zone=time_zone),
            convert_time_tool(clock, time_zone=time_zone),
            time_difference_tool(clock, time_zone=time_zone),
            time_after_tool(),
            time_between_tool(),
            units_tool(),
            days_tool(clock, time_zone=time_zone),
            resolve_words_tool(clock, time_zone=time_zone),
        ],
        settings=settings or DEFAULT_ROLES[AGENT_ID].settings,
        is_streaming=is_streaming,
    )
    return Specialist(
        work,
        name="Calculator",
        icon="🧮",
        color="#F59E0B",
        description="Exact arithmetic, percentages, the current date and time, and time zones",
        capabilities=("calculate expressions", "tell the time anywhere", "convert times between time zones"),
        commands=("/calc",),
        examples=EXAMPLES,
        model_role=AGENT_ID,
        understanding=UNDERSTANDING,
    )
