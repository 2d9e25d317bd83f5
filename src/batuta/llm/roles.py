"""Model roles: which model does which job, and how, configured in one place (F-43).

roles = ModelRoles(default_model="openai:gpt-5.2", changes={"session_title": {"model": "openai:gpt-5.2-mini"}})
roles["supervisor"].settings
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from batuta.kernel.errors import ConfigurationError
from batuta.llm.model import ModelSettings
from batuta.llm.providers import parse_model

DEFAULT_MODEL = "anthropic:claude-sonnet-4-6"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRole:
    """The model of one job and its settings."""

    model: str = DEFAULT_MODEL
    thinking_budget_tokens: int | None = None
    temperature: float | None = None
    max_tokens: int = 4_096
    extra: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse a name and settings that could never be used."""
        parse_model(self.model)
        _ = self.settings

    @property
    def settings(self) -> ModelSettings:
        """The settings with which the role's calls are made."""
        return ModelSettings(
            temperature=self.temperature,
            max_tokens=self.max_tokens,
            thinking_budget_tokens=self.thinking_budget_tokens,
            extra=dict(self.extra),
        )


DEFAULT_ROLES: dict[str, ModelRole] = {
    "supervisor": ModelRole(thinking_budget_tokens=5_000, max_tokens=16_000),
    "erp_agent": ModelRole(temperature=0.3),
    "rag_agent": ModelRole(temperature=0.5),
    "graphing_agent": ModelRole(temperature=0.2),
    "appointments_agent": ModelRole(temperature=0.3),
    "calculator_agent": ModelRole(temperature=0.2),
    "session_title": ModelRole(temperature=0.7, max_tokens=64),
    "router": ModelRole(temperature=0.3, max_tokens=1_024),
    "summary": ModelRole(temperature=0.3, max_tokens=512),
}
_FIELDS = frozenset(item.name for item in fields(ModelRole))


class ModelRoles(Mapping[str, ModelRole]):
    """All roles, with what a deployment changes about them."""

    def __init__(
        self, *, default_model: str = DEFAULT_MODEL, changes: Mapping[str, Mapping[str, Any]] | None = None
    ) -> None:
        changed = changes or {}
        self._roles = {
            name: replace(role, **{"model": default_model, **_checked(name, changed.get(name, {}))})
            for name, role in {**dict.fromkeys(changed, ModelRole()), **DEFAULT_ROLES}.items()
        }

    def __getitem__(self, name: str) -> ModelRole:
        """The role of a name. Raises `ConfigurationError`."""
        try:
            return self._roles[name]
        except KeyError:
            known = ", ".join(sorted(self._roles))
            raise ConfigurationError(f"there is no model role {name!r}; known are {known}") from None

    def __contains__(self, name: object) -> bool:
        """Whether there is such a role."""
        return name in self._roles

    def __iter__(self) -> Iterator[str]:
        """The names of all roles."""
        return iter(self._roles)

    def __len__(self) -> int:
        """How many there are."""
        return len(self._roles)


def _checked(name: str, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    unknown = set(changes) - _FIELDS
    if unknown:
        named, known = ", ".join(sorted(unknown)), ", ".join(sorted(_FIELDS))
        raise ConfigurationError(f"the model role {name!r} has no setting {named}; known are {known}")
    return changes
