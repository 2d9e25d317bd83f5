"""The graphing agent: charts over the datasets of a conversation."""

from batuta.agents.graphing.agent import AGENT_ID, specialist

__all__ = ["AGENT_ID", "specialist"]
