"""Adapters: all that is known about the providers' messages, one per provider, pure."""

from batuta.events.adapters.anthropic import AnthropicAdapter
from batuta.events.adapters.base import BaseAdapter, BlockType, ProviderAdapter, StreamReader
from batuta.events.adapters.google import GoogleAdapter
from batuta.events.adapters.openai_chat import OpenAIChatAdapter
from batuta.events.adapters.openai_responses import OpenAIResponsesAdapter
from batuta.events.adapters.registry import ADAPTERS, adapter_for
from batuta.events.adapters.telling import events_of

__all__ = [
    "ADAPTERS",
    "AnthropicAdapter",
    "BaseAdapter",
    "BlockType",
    "GoogleAdapter",
    "OpenAIChatAdapter",
    "OpenAIResponsesAdapter",
    "ProviderAdapter",
    "StreamReader",
    "adapter_for",
    "events_of",
]
