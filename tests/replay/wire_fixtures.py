"""The wire fixtures as tests read them: those written from the specifications, and those recorded from the SDKs."""

import json
from pathlib import Path
from typing import Any, cast

from tests.replay.written_wire import FEATURES, PROVIDERS

WIRE = Path(__file__).parent / "wire"

WRITTEN = [(provider, feature) for provider in PROVIDERS for feature in FEATURES]
RECORDED = [(provider, f"recorded/{feature}") for provider, feature in WRITTEN]
CELLS = WRITTEN + RECORDED


def whole(provider: str, feature: str) -> dict[str, Any]:
    """An answer as it comes at once."""
    return cast("dict[str, Any]", json.loads(_text(provider, f"{feature}.whole.json")))


def streamed(provider: str, feature: str) -> list[dict[str, Any]]:
    """The same answer as it comes in chunks."""
    if feature.startswith("recorded/"):
        return chunks_in(_text(provider, f"{feature}.stream.sse"))
    return cast("list[dict[str, Any]]", json.loads(_text(provider, f"{feature}.stream.json")))


def chunks_in(stream: str) -> list[dict[str, Any]]:
    """What the events of a recorded stream hold; the word that ends some of them is no chunk."""
    data = (line.removeprefix("data: ") for line in stream.split("\n") if line.startswith("data: "))
    return [json.loads(payload) for payload in data if payload != "[DONE]"]


def _text(provider: str, name: str) -> str:
    return (WIRE / provider / name).read_bytes().decode()
