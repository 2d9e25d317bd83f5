"""The built-in model: a small deterministic grammar that lets a team work without any provider.

words, lexicon        a text as features: concepts, signals, language
reading               what a request asks of a model, whichever agent sends it
planning              as supervisor: split, route, or answer directly
calling, filling      as worker: choose a tool, take its arguments from the message
wording               write the answer from results, in the language of the request
structures            a valid value of any schema
"""
