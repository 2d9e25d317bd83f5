"""Batuta: code conducts, models play.

The public names. Each is imported when it is first used, so `import batuta` costs next to nothing.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.conversations.conversation import Conversation as Conversation
    from batuta.conversations.conversation import History as History
    from batuta.kernel.errors import BatutaError as BatutaError
    from batuta.kernel.errors import PipelineTypeError as PipelineTypeError
    from batuta.kernel.errors import Rejected as Rejected
    from batuta.kernel.errors import StepFailedError as StepFailedError
    from batuta.kernel.messages import Message as Message
    from batuta.llm.model import ModelSettings as ModelSettings
    from batuta.pipelines.cancellation import Cancellation as Cancellation
    from batuta.pipelines.context import Context as Context
    from batuta.pipelines.journal import MemoryJournal as MemoryJournal
    from batuta.pipelines.pipeline import Pipeline as Pipeline
    from batuta.pipelines.result import StepError as StepError
    from batuta.pipelines.result import StepResult as StepResult
    from batuta.pipelines.step import Step as Step
    from batuta.pipelines.step import step as step
    from batuta.steps.action import ActionStep as ActionStep
    from batuta.steps.action import action as action
    from batuta.steps.agent import AgentStep as AgentStep
    from batuta.steps.artefacts import Tag as Tag
    from batuta.steps.chat import ChatAgentStep as ChatAgentStep
    from batuta.steps.intention import Intention as Intention
    from batuta.steps.intention import Option as Option
    from batuta.steps.parallel import Branch as Branch
    from batuta.steps.parallel import ParallelStep as ParallelStep
    from batuta.steps.parser import ParserStep as ParserStep
    from batuta.steps.parser import parse_json as parse_json
    from batuta.steps.router import RouterAgentStep as RouterAgentStep
    from batuta.steps.switch import SwitchStep as SwitchStep
    from batuta.tools.tool import Tool as Tool
    from batuta.tools.tool import tool as tool

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.conversations.conversation": ("Conversation", "History"),
        "batuta.kernel.errors": ("BatutaError", "PipelineTypeError", "Rejected", "StepFailedError"),
        "batuta.kernel.messages": ("Message",),
        "batuta.pipelines.cancellation": ("Cancellation",),
        "batuta.pipelines.context": ("Context",),
        "batuta.pipelines.journal": ("MemoryJournal",),
        "batuta.pipelines.pipeline": ("Pipeline",),
        "batuta.pipelines.result": ("StepError", "StepResult"),
        "batuta.pipelines.step": ("Step", "step"),
        "batuta.steps.action": ("ActionStep", "action"),
        "batuta.steps.parallel": ("Branch", "ParallelStep"),
        "batuta.steps.parser": ("ParserStep", "parse_json"),
        "batuta.steps.switch": ("SwitchStep",),
        "batuta.steps.agent": ("AgentStep",),
        "batuta.steps.artefacts": ("Tag",),
        "batuta.steps.chat": ("ChatAgentStep",),
        "batuta.steps.intention": ("Intention", "Option"),
        "batuta.steps.router": ("RouterAgentStep",),
        "batuta.tools.tool": ("Tool", "tool"),
        "batuta.llm.model": ("ModelSettings",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
