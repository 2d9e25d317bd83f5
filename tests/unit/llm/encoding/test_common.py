"""Efforts, and what a provider can be told."""

import pytest

from batuta.kernel.errors import SettingsError
from batuta.kernel.messages import ImageBlock
from batuta.llm.encoding.common import base64_of, data_url, effort_of


@pytest.mark.parametrize(("budget", "effort"), [(1_024, "low"), (2_048, "low"), (5_000, "medium"), (20_000, "high")])
def test_a_budget_of_thinking_becomes_an_effort(budget: int, effort: str) -> None:
    assert effort_of(budget) == effort


def test_attachments_are_written_as_base64() -> None:
    image = ImageBlock(media_type="image/png", data=b"aGVsbG8=")
    assert data_url(image) == "data:image/png;base64,aGVsbG8="


def test_an_attachment_without_content_is_an_error_before_the_call() -> None:
    with pytest.raises(SettingsError, match="image needs data"):
        base64_of(ImageBlock(media_type="image/png", url="https://example.com/a.png"))
