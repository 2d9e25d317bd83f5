"""The providers' rules for a request, one book each; the simulator answers a breach as the provider would."""

from collections.abc import Sequence
from typing import Any

from batuta.simulator.answers import Provider
from batuta.simulator.rules import anthropic, google, openai_chat, openai_responses


def validate_request(
    provider: Provider, body: dict[str, Any], *, earlier: Sequence[dict[str, Any]] | None = ()
) -> list[str]:
    """The rules a request body breaks, as sentences; empty when the provider would accept it.

    Args:
        provider: The wire format of the body.
        body: The request as it would be sent. Google's model, which travels in the path, may be added as ``model``:
            some of its rules depend on it.
        earlier: For ``openai_responses``, the items stored under ``previous_response_id``; ``None`` when there is no
            such response. Without them a body that continues a response is not checked for pairs.
    """
    if provider == "openai_responses":
        return openai_responses.problems(body, earlier)
    books = {"anthropic": anthropic.problems, "openai_chat": openai_chat.problems, "google": google.problems}
    return books[provider](body)
