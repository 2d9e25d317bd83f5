"""The OpenAPI document says what bodies hold: nothing that a client is given is of an unknown type."""

from typing import Any

from batuta.server.app import describe


def test_preferences_and_events_are_described() -> None:
    schemas: dict[str, Any] = describe()["components"]["schemas"]
    assert schemas["Me"]["properties"]["settings"] == {"$ref": "#/components/schemas/Preferences"}
    assert schemas["EventPage"]["properties"]["items"]["items"] == {"$ref": "#/components/schemas/WireEvent"}
    assert {"type", "sequence_number", "previous_sequence", "turn_id"} <= set(schemas["WireEvent"]["required"])
