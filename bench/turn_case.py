"""The turn that is compared: a supervisor plans three steps for three agents with five tools, then writes the answer.

The module needs nothing but Python, because peers use it in environments of their own.
"""

QUESTION = "Prepare the meeting."
CONCLUSION = "Everything is done [1] [2] [3]."
RESULTS_HEADING = "Results of earlier steps:"

CREW: dict[str, tuple[str, ...]] = {"scout": ("look", "publish"), "clerk": ("send", "book"), "crier": ("shout",)}
"""Each agent and the tools it asks for, all at once."""

PLAN = [
    {"agent_id": agent, "task": f"do {agent}", "depends_on": [position - 1] if position else []}
    for position, agent in enumerate(CREW)
]


def done(tool: str) -> str:
    """What a tool answers."""
    return f"{tool} is done"


def report(agent: str) -> str:
    """What an agent makes of its tools' results."""
    return "; ".join(done(tool) for tool in CREW[agent])
