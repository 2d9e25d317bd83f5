"""The platform: people log in, talk to a team of agents, and see every event of their turns as it is stored.

    browser ─▶ http · live.sockets ─▶ policy ─▶ domains (api ─▶ service ─▶ repository) ─▶ turn queue and event log
       ▲                                                                                      │
       └──────────────────────────────── live.feed reads the log ◀────────────────────────────┘

The root holds what starts a process: `app` (HTTP and sockets on one port), `wiring` (the only module that chooses
backends), `config`, `policy`, `problems` and `team`. `database`, `security`, `http`, `live`, `worker` and `monitoring`
serve the domains; every other folder is a domain, and domains never import one another.
"""
