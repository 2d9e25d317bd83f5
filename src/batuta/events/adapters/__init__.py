"""Adapters: all that is known about the providers' messages, one per provider, pure. Each is imported when used."""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.events.adapters.answer_events import events_of as events_of
    from batuta.events.adapters.anthropic import AnthropicAdapter as AnthropicAdapter
    from batuta.events.adapters.base import BaseAdapter as BaseAdapter
    from batuta.events.adapters.base import BlockType as BlockType
    from batuta.events.adapters.base import ProviderAdapter as ProviderAdapter
    from batuta.events.adapters.base import StreamReader as StreamReader
    from batuta.events.adapters.google import GoogleAdapter as GoogleAdapter
    from batuta.events.adapters.openai_chat import OpenAIChatAdapter as OpenAIChatAdapter
    from batuta.events.adapters.openai_responses import OpenAIResponsesAdapter as OpenAIResponsesAdapter
    from batuta.events.adapters.registry import ADAPTERS as ADAPTERS
    from batuta.events.adapters.registry import adapter_for as adapter_for

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.events.adapters.anthropic": ("AnthropicAdapter",),
        "batuta.events.adapters.base": ("BaseAdapter", "BlockType", "ProviderAdapter", "StreamReader"),
        "batuta.events.adapters.google": ("GoogleAdapter",),
        "batuta.events.adapters.openai_chat": ("OpenAIChatAdapter",),
        "batuta.events.adapters.openai_responses": ("OpenAIResponsesAdapter",),
        "batuta.events.adapters.registry": ("ADAPTERS", "adapter_for"),
        "batuta.events.adapters.answer_events": ("events_of",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
