"""What people's documents say: extract their text, cut it into passages, find those, and check what cites them.

    file -> extract -> chunk -> index -> retrieve -> cite

Texts are kept as the extractor gave them, and everything else refers to them by offset: a passage, a highlight and a
citation are spans of one stored text, so that what is shown can be compared with it character by character.
"""
