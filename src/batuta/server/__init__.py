"""The platform: people log in, talk to a team of agents, and see every event of their turns as it is stored.

    browser ─▶ app · sockets ─▶ policy ─▶ domains (api ─▶ service ─▶ repository) ─▶ turn queue and event log
       ▲                                                                                      │
       └──────────────────────────── delivery reads the log ◀─────────────────────────────────┘

`wiring` is the only module that chooses backends; domains never import one another.
"""
