"""E-mail addresses of accounts."""

from typing import Annotated

from pydantic import AfterValidator, Field


def _address(text: str) -> str:
    name, at, host = text.strip().lower().partition("@")
    if not (name and at and host) or "@" in host or any(character.isspace() for character in text.strip()):
        raise ValueError("this is no e-mail address")
    return f"{name}@{host}"


Email = Annotated[str, Field(min_length=3, max_length=254), AfterValidator(_address)]
