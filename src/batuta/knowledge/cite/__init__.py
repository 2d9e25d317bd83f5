"""Citations that code has checked: the quote stands in the stored text, and every fact of a sentence in its quotes.

answer -> notes and sentences -> quotes located -> numbers, dates, units and names compared
"""
