"""What a person sees of a log in the end, made comparable: the fold without ids and times.

    seen_by_a_person(events) == seen_by_a_person(events_of_another_run)

Two runs of the same turn have other ids and other clocks, and events of parallel work come in any order. Everything
else that `fold` shows is compared: words, arguments, results, citations, decisions, the plan and its steps, who did
what, usage and cost.
"""

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from batuta.events.envelope import Event
from batuta.events.fold import fold

_TIMES = frozenset({"timestamp", "sequence_number", "last_sequence", "epoch", "duration_ms"})
_IDS = frozenset(
    {
        "event_id", "message_id", "turn_id", "session_id", "plan_id", "step_id", "handoff_id", "plan_step_id",
        "approval_id", "tool_use_id", "client_message_id", "last_event_id",
    }
)  # fmt: skip
UNKNOWN_OUTCOME = "no answer to it came back"
"""Words of every question about a write that was interrupted."""


def seen_by_a_person(events: Sequence[Event]) -> dict[str, Any]:
    """The folded view; of each agent, what it did in whatever order it did it.

    Left out is what a crash may add: pauses, and questions about writes that it interrupted.
    """
    view = _folded(events)
    for turn in view["turns"]:
        items: dict[str, list[Any]] = {}
        for item in turn["items"]:
            items.setdefault(str(item["agent_id"]), []).append(item)
        turn["items"] = {agent: sorted(own, key=_text) for agent, own in sorted(items.items())}
    return view


def seen_in_order(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Every item of every turn in its order: for turns in which nothing runs side by side."""
    return [item for turn in _folded(events)["turns"] for item in turn["items"]]


def difference(found: Any, expected: Any) -> str:
    """Where two views differ, line by line."""
    lines = difflib.unified_diff(_lines(expected), _lines(found), "expected", "found", n=3, lineterm="")
    return "\n".join(lines)


def _lines(view: Any) -> list[str]:
    return json.dumps(view, indent=1, sort_keys=True, ensure_ascii=False, default=repr).splitlines()


def _folded(events: Sequence[Event]) -> dict[str, Any]:
    dumped = fold(events).model_dump(mode="json")
    names = _step_names(dumped["turns"])
    view: dict[str, Any] = _comparable(dumped, names)
    for turn in view["turns"]:
        turn["items"] = [item for item in turn["items"] if not _is_added_by_a_crash(item)]
    return view


def _comparable(value: Any, names: Mapping[str, str]) -> Any:
    """Without ids and times; a step of a plan is known by its place."""
    if isinstance(value, dict):
        return {key: _comparable(part, names) for key, part in value.items() if not _is_its_own(key)}
    if isinstance(value, list):
        return [_comparable(part, names) for part in value]
    return names.get(value, value) if isinstance(value, str) else value


def _is_its_own(key: str) -> bool:
    return key in _TIMES or key in _IDS or key.endswith("_at")


def _step_names(turns: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    plans = [item for turn in turns for item in turn["items"] if item["kind"] == "plan"]
    return {step["step_id"]: f"step {step['step_index']}" for plan in plans for step in plan["steps"]}


def _is_added_by_a_crash(item: Mapping[str, Any]) -> bool:
    return item["kind"] == "pause" or (item["kind"] == "approval" and UNKNOWN_OUTCOME in item["reason"])


def _text(item: Any) -> str:
    return json.dumps(item, sort_keys=True)
