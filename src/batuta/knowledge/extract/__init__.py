"""The text of files with its places, read in a process that can be killed (P-34).

bytes -> sniff -> reader of that kind -> DocumentText, or a failure in plain words
"""
