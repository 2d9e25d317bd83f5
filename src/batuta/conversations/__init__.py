"""What was said: conversations, the part of them a model sees, and where they are kept.

Each name is imported when it is first used.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.conversations.conversation import Bookmark as Bookmark
    from batuta.conversations.conversation import Conversation as Conversation
    from batuta.conversations.conversation import History as History
    from batuta.conversations.conversation import KeptBookmark as KeptBookmark
    from batuta.conversations.manager import ConversationManager as ConversationManager
    from batuta.conversations.manager import OpenConversation as OpenConversation
    from batuta.conversations.stores.memory import MemoryConversationStore as MemoryConversationStore
    from batuta.conversations.stores.store import ConversationRecord as ConversationRecord
    from batuta.conversations.stores.store import ConversationStore as ConversationStore
    from batuta.conversations.stores.store import StoredConversation as StoredConversation
    from batuta.conversations.summaries import ConversationView as ConversationView
    from batuta.conversations.summaries import Summarizer as Summarizer
    from batuta.conversations.validity import problems_of as problems_of
    from batuta.conversations.validity import valid_history as valid_history
    from batuta.conversations.window import SlidingWindow as SlidingWindow

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.conversations.conversation": (
            "Bookmark",
            "Conversation",
            "History",
            "KeptBookmark",
        ),
        "batuta.conversations.manager": (
            "ConversationManager",
            "OpenConversation",
        ),
        "batuta.conversations.stores.memory": ("MemoryConversationStore",),
        "batuta.conversations.stores.store": (
            "ConversationRecord",
            "ConversationStore",
            "StoredConversation",
        ),
        "batuta.conversations.summaries": (
            "ConversationView",
            "Summarizer",
        ),
        "batuta.conversations.validity": (
            "problems_of",
            "valid_history",
        ),
        "batuta.conversations.window": ("SlidingWindow",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
