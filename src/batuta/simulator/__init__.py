"""A provider to develop and test against: the wire protocols of Anthropic, OpenAI and Google, with faults on demand.

It imports nothing of the rest of Batuta, so that a mistake made on one side is not repeated on the other.
"""

from batuta.simulator.answers import PROVIDERS, Fault, PlannedAnswer, Provider
from batuta.simulator.exchanges import Exchange
from batuta.simulator.rules import validate_request
from batuta.simulator.scenario import Scenario, ScenarioError, load_scenario, parse_scenario
from batuta.simulator.server import Simulator, serve

__all__ = [
    "PROVIDERS",
    "Exchange",
    "Fault",
    "PlannedAnswer",
    "Provider",
    "Scenario",
    "ScenarioError",
    "Simulator",
    "load_scenario",
    "parse_scenario",
    "serve",
    "validate_request",
]
