"""Long work beside the chats: on the same queue, with workers of its own (P-36)."""
