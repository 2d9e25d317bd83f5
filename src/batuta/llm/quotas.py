"""What providers say is left of their quotas, as of their last answers: Anthropic, OpenAI and those compatible with it
say so in a header of every answer; Google says nothing.
"""

from collections.abc import Mapping

HEADERS = ("anthropic-ratelimit-tokens-remaining", "x-ratelimit-remaining-tokens")
"""Tokens left until the limit of the minute; only these names mean it."""


class Quotas:
    """The last word of each model's provider."""

    def __init__(self) -> None:
        self._left: dict[tuple[str, str], int] = {}

    def note(self, provider: str, model: str, headers: Mapping[str, str]) -> None:
        """Keep what an answer says; one that says nothing, or no number, changes nothing."""
        for name in HEADERS:
            said = headers.get(name, "")
            if said.isdecimal():
                self._left[provider, model] = int(said)

    def left(self) -> dict[str, int]:
        """Tokens left by provider: of its models, the one that has least."""
        found: dict[str, int] = {}
        for (provider, _), tokens in self._left.items():
            found[provider] = min(tokens, found.get(provider, tokens))
        return found


QUOTAS = Quotas()
"""Of this process."""
