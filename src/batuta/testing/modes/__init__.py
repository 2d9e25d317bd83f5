"""One program, all modes, one outcome (F-90): programs made from seeds, run in every mode and held against each other.

programs   what is run: pipelines and teams as data, made from a seed, made smaller when one fails
expected   what a program should come to, worked out without the framework
world      models, tools, side effects and the person who decides
building   from a program to steps and teams
running    the modes: in memory, with a journal, through workers on each store, streamed, killed
checking   holds outcomes against each other; `DECLARED` is the table of all differences there may be
"""
