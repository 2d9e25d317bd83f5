"""The wire fixtures as tests read them."""

import json
from typing import Any, cast

from tests.replay.make_wire_fixtures import FEATURES, PROVIDERS, WIRE

CELLS = [(provider, feature) for provider in PROVIDERS for feature in FEATURES]


def whole(provider: str, feature: str) -> dict[str, Any]:
    """An answer as it comes at once."""
    return cast("dict[str, Any]", _load(provider, feature, "whole"))


def streamed(provider: str, feature: str) -> list[dict[str, Any]]:
    """The same answer as it comes in chunks."""
    return cast("list[dict[str, Any]]", _load(provider, feature, "stream"))


def _load(provider: str, feature: str, form: str) -> Any:
    return json.loads((WIRE / provider / f"{feature}.{form}.json").read_text(encoding="utf-8"))
