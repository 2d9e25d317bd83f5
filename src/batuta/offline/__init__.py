"""The built-in model: deterministic, in process, free. What it understands comes from the specialists (A-40, A-41).

requests        what a model request asks, whichever agent sends it
context         what was asked before, read off the conversation (A-42)
planning        as supervisor: divide, route, ask back, or answer small talk
calling         as worker: the tool of the intent, with arguments from its slots
answers         words from tool results, in the language of the request
structures      a valid value of any schema
"""
