"""Settings are checked before a call, by a table of rules per provider. The error says which setting and why (F-42).

What no provider could take, such as a negative maximum, is refused by `ModelSettings` itself.
"""

from collections.abc import Callable, Iterator
from typing import Literal

from batuta.kernel.errors import SettingsError
from batuta.llm.model import ModelRequest

Dialect = Literal["anthropic", "openai_chat", "openai_responses", "google"]
Rule = Callable[[ModelRequest], str | None]

MIN_ANTHROPIC_THINKING = 1_024
MIN_RESPONSES_OUTPUT = 16
MAX_STOPS = {"openai_chat": 4, "google": 5}


def check_settings(dialect: Dialect, request: ModelRequest) -> None:
    """Raise `SettingsError` naming everything that the provider would refuse."""
    problems = tuple(_problems(dialect, request))
    if problems:
        raise SettingsError(f"{dialect} cannot take these settings: " + "; ".join(problems))


def _problems(dialect: Dialect, request: ModelRequest) -> Iterator[str]:
    for rule in (*COMMON, *RULES[dialect]):
        problem = rule(request)
        if problem is not None:
            yield problem


def _has_messages(request: ModelRequest) -> str | None:
    return None if request.messages else "messages must not be empty: a model answers something"


def _forced_tools_exist(request: ModelRequest) -> str | None:
    is_forced = request.tool_choice == "required" and not request.tools
    return "tool_choice is 'required' but there are no tools" if is_forced else None


def _thinking_fits_max_tokens(request: ModelRequest) -> str | None:
    settings = request.settings
    budget, limit = settings.thinking_budget_tokens, settings.max_tokens
    if budget is None or limit is None or limit > budget:
        return None
    return f"max_tokens ({limit}) must exceed thinking_budget_tokens ({budget}): thinking is part of the output"


def _temperature_up_to(highest: float) -> Rule:
    def rule(request: ModelRequest) -> str | None:
        temperature = request.settings.temperature
        if temperature is None or 0 <= temperature <= highest:
            return None
        return f"temperature must be between 0 and {highest:g}, got {temperature:g}"

    return rule


def _no_temperature_with_thinking(request: ModelRequest) -> str | None:
    settings = request.settings
    if settings.thinking_budget_tokens is None or settings.temperature is None:
        return None
    return f"temperature ({settings.temperature:g}) must be absent when thinking is on"


def _wide_top_p_with_thinking(request: ModelRequest) -> str | None:
    settings = request.settings
    if settings.thinking_budget_tokens is None or settings.top_p is None or settings.top_p >= 0.95:
        return None
    return f"top_p must be at least 0.95 or absent when thinking is on, got {settings.top_p:g}"


def _enough_thinking(request: ModelRequest) -> str | None:
    budget = request.settings.thinking_budget_tokens
    if budget is None or budget >= MIN_ANTHROPIC_THINKING:
        return None
    return f"thinking_budget_tokens must be at least {MIN_ANTHROPIC_THINKING}, got {budget}"


def _no_forced_tools_with_thinking(request: ModelRequest) -> str | None:
    if request.settings.thinking_budget_tokens is None or request.tool_choice != "required":
        return None
    return "tool_choice 'required' and thinking do not go together: use 'auto', or turn thinking off"


def _no_seed(request: ModelRequest) -> str | None:
    return None if request.settings.seed is None else "seed is not known to this provider"


def _no_stops(request: ModelRequest) -> str | None:
    return "stop is not known to this API" if request.settings.stop else None


def _at_most_stops(count: int) -> Rule:
    def rule(request: ModelRequest) -> str | None:
        given = len(request.settings.stop)
        return None if given <= count else f"stop takes at most {count} texts, got {given}"

    return rule


def _enough_output(request: ModelRequest) -> str | None:
    limit = request.settings.max_tokens
    if limit is None or limit >= MIN_RESPONSES_OUTPUT:
        return None
    return f"max_tokens must be at least {MIN_RESPONSES_OUTPUT}, got {limit}"


COMMON: tuple[Rule, ...] = (
    _has_messages,
    _forced_tools_exist,
    _thinking_fits_max_tokens,
)

RULES: dict[Dialect, tuple[Rule, ...]] = {
    "anthropic": (
        _temperature_up_to(1),
        _no_temperature_with_thinking,
        _wide_top_p_with_thinking,
        _enough_thinking,
        _no_forced_tools_with_thinking,
        _no_seed,
    ),
    "openai_chat": (_temperature_up_to(2), _at_most_stops(MAX_STOPS["openai_chat"])),
    "openai_responses": (_temperature_up_to(2), _enough_output, _no_seed, _no_stops),
    "google": (_temperature_up_to(2), _at_most_stops(MAX_STOPS["google"])),
}
