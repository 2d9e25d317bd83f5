"""The providers' wire formats as pure functions, one module each."""

from batuta.simulator.answers import Provider
from batuta.simulator.wire import anthropic, google, openai_chat, openai_responses
from batuta.simulator.wire.dialect import Dialect

DIALECTS: dict[Provider, Dialect] = {
    dialect.provider: dialect
    for dialect in (anthropic.DIALECT, openai_chat.DIALECT, openai_responses.DIALECT, google.DIALECT)
}
