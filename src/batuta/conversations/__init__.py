"""What was said: conversations, the part of them a model sees, and where they are kept."""

from batuta.conversations.conversation import Bookmark, Conversation, History, KeptBookmark
from batuta.conversations.manager import ConversationManager, OpenConversation
from batuta.conversations.stores.memory import MemoryConversationStore
from batuta.conversations.stores.store import ConversationRecord, ConversationStore, StoredConversation
from batuta.conversations.summaries import ConversationView, Summarizer
from batuta.conversations.validity import problems_of, valid_history
from batuta.conversations.window import SlidingWindow

__all__ = [
    "Bookmark",
    "Conversation",
    "ConversationManager",
    "ConversationRecord",
    "ConversationStore",
    "ConversationView",
    "History",
    "KeptBookmark",
    "MemoryConversationStore",
    "OpenConversation",
    "SlidingWindow",
    "StoredConversation",
    "Summarizer",
    "problems_of",
    "valid_history",
]
