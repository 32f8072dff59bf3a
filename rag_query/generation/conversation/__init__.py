"""Last, the turns of a conversation: asked, answered, logged and replayed."""
