"""What was said: conversations, the part of them a model sees, and where they are kept."""

from batuta.conversations.conversation import Bookmark, Conversation, History

__all__ = ["Bookmark", "Conversation", "History"]
