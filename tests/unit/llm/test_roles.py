"""Model roles: one place, sound defaults (F-43)."""

import pytest

from batuta.kernel.errors import ConfigurationError
from batuta.llm.model import ModelRequest
from batuta.llm.providers import parse_model
from batuta.llm.roles import DEFAULT_ROLES, ModelRoles
from batuta.llm.settings import check_settings
from tests.unit.llm.doubles import request

EXPECTED = {
    "supervisor": (5_000, None),
    "erp_agent": (None, 0.3),
    "rag_agent": (None, 0.5),
    "graphing_agent": (None, 0.2),
    "appointments_agent": (None, 0.3),
    "calculator_agent": (None, 0.2),
    "session_title": (None, 0.7),
    "router": (None, 0.3),
    "summary": (None, 0.3),
}


@pytest.mark.parametrize("name", DEFAULT_ROLES)
def test_every_role_has_its_settings_and_they_are_accepted(name: str) -> None:
    role = ModelRoles()[name]
    assert (role.thinking_budget_tokens, role.temperature) == EXPECTED[name]
    assert parse_model(role.model)[0] == "anthropic"
    check_settings("anthropic", ModelRequest(messages=request().messages, settings=role.settings))


def test_the_table_of_this_test_is_complete() -> None:
    assert set(EXPECTED) == set(ModelRoles())


def test_a_deployment_changes_models_in_one_place() -> None:
    roles = ModelRoles(
        default_model="openai:gpt-5", changes={"session_title": {"model": "ollama:llama", "max_tokens": 9}}
    )
    assert roles["erp_agent"].model == "openai:gpt-5"
    assert (roles["session_title"].model, roles["session_title"].settings.max_tokens) == ("ollama:llama", 9)
    assert roles["session_title"].temperature == 0.7


def test_a_new_role_needs_no_more_than_a_name() -> None:
    roles = ModelRoles(changes={"translator": {"temperature": 0.1}})
    assert roles["translator"].settings.temperature == 0.1
    assert "translator" in roles


def test_an_unknown_role_is_named_with_those_that_exist() -> None:
    with pytest.raises(ConfigurationError, match=r"no model role 'cook'.*supervisor"):
        ModelRoles()["cook"]


def test_a_misspelt_setting_is_an_error() -> None:
    with pytest.raises(ConfigurationError, match="temprature"):
        ModelRoles(changes={"router": {"temprature": 0.1}})
