"""One catalogue of events: what the log stores, the socket sends, the UI folds and telemetry counts.

Each name is imported when it is first used: a pipeline does not need the whole catalogue.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.events.catalogue import CanonicalEvent as CanonicalEvent
    from batuta.events.catalogue import decode as decode
    from batuta.events.catalogue import encode as encode
    from batuta.events.catalogue import upcast as upcast
    from batuta.events.conversation import AssistantMessage as AssistantMessage
    from batuta.events.conversation import Attachment as Attachment
    from batuta.events.conversation import Citation as Citation
    from batuta.events.conversation import Complete as Complete
    from batuta.events.conversation import ContentRefused as ContentRefused
    from batuta.events.conversation import ErrorOccurred as ErrorOccurred
    from batuta.events.conversation import FeedbackGiven as FeedbackGiven
    from batuta.events.conversation import SessionEnd as SessionEnd
    from batuta.events.conversation import SessionStart as SessionStart
    from batuta.events.conversation import Thinking as Thinking
    from batuta.events.conversation import TitleChanged as TitleChanged
    from batuta.events.conversation import TurnPaused as TurnPaused
    from batuta.events.conversation import UserMessage as UserMessage
    from batuta.events.costs import NO_TOOL as NO_TOOL
    from batuta.events.costs import Costs as Costs
    from batuta.events.costs import costs_of as costs_of
    from batuta.events.datasets import ChartDrawn as ChartDrawn
    from batuta.events.datasets import DatasetStored as DatasetStored
    from batuta.events.emitter import Emitter as Emitter
    from batuta.events.emitter import Stamp as Stamp
    from batuta.events.envelope import Event as Event
    from batuta.events.normalizer import normalize as normalize
    from batuta.events.observers import FanOutSink as FanOutSink
    from batuta.events.observers import FilterSink as FilterSink
    from batuta.events.plans import AgentChanged as AgentChanged
    from batuta.events.plans import AgentHandoff as AgentHandoff
    from batuta.events.plans import AgentIdentity as AgentIdentity
    from batuta.events.plans import PlanCompleted as PlanCompleted
    from batuta.events.plans import PlanGenerated as PlanGenerated
    from batuta.events.plans import PlannedStep as PlannedStep
    from batuta.events.plans import PlanStepCompleted as PlanStepCompleted
    from batuta.events.plans import PlanStepStarted as PlanStepStarted
    from batuta.events.progress import ContentDelta as ContentDelta
    from batuta.events.progress import FileProgress as FileProgress
    from batuta.events.progress import JobProgress as JobProgress
    from batuta.events.progress import StepProgress as StepProgress
    from batuta.events.progress import StreamDiscarded as StreamDiscarded
    from batuta.events.progress import TagCompleted as TagCompleted
    from batuta.events.progress import TagStarted as TagStarted
    from batuta.events.progress import ThinkingDelta as ThinkingDelta
    from batuta.events.progress import ToolProgress as ToolProgress
    from batuta.events.routing import ROUTES as ROUTES
    from batuta.events.routing import Audience as Audience
    from batuta.events.routing import Persistence as Persistence
    from batuta.events.routing import Route as Route
    from batuta.events.routing import add_route as add_route
    from batuta.events.routing import is_internal as is_internal
    from batuta.events.runtime import AttemptRejected as AttemptRejected
    from batuta.events.runtime import BreakerChanged as BreakerChanged
    from batuta.events.runtime import BudgetRefused as BudgetRefused
    from batuta.events.runtime import EffectAbandoned as EffectAbandoned
    from batuta.events.runtime import EffectIntended as EffectIntended
    from batuta.events.runtime import EffectRecorded as EffectRecorded
    from batuta.events.runtime import LimiterThrottled as LimiterThrottled
    from batuta.events.runtime import LlmExchanged as LlmExchanged
    from batuta.events.runtime import LlmRequest as LlmRequest
    from batuta.events.runtime import LlmResponse as LlmResponse
    from batuta.events.runtime import ToolRefused as ToolRefused
    from batuta.events.runtime import TurnResumed as TurnResumed
    from batuta.events.runtime import TurnStarted as TurnStarted
    from batuta.events.sink import EventSink as EventSink
    from batuta.events.sink import Recorder as Recorder
    from batuta.events.steps import HookFailed as HookFailed
    from batuta.events.steps import StepCompleted as StepCompleted
    from batuta.events.steps import StepFailed as StepFailed
    from batuta.events.steps import StepStarted as StepStarted
    from batuta.events.telemetry import AgentDecisionRecorded as AgentDecisionRecorded
    from batuta.events.telemetry import AgentExecutionCompleted as AgentExecutionCompleted
    from batuta.events.telemetry import AgentExecutionFailed as AgentExecutionFailed
    from batuta.events.telemetry import AgentExecutionStarted as AgentExecutionStarted
    from batuta.events.telemetry import AgentFallbackTriggered as AgentFallbackTriggered
    from batuta.events.telemetry import AgentPipelineCompleted as AgentPipelineCompleted
    from batuta.events.telemetry import AgentPipelineStarted as AgentPipelineStarted
    from batuta.events.telemetry import AgentRetryAttempted as AgentRetryAttempted
    from batuta.events.tools import ApprovalRequested as ApprovalRequested
    from batuta.events.tools import ApprovalResolved as ApprovalResolved
    from batuta.events.tools import ToolRequest as ToolRequest
    from batuta.events.tools import ToolResponse as ToolResponse
    from batuta.kernel.usage import Usage as Usage

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.events.catalogue": (
            "CanonicalEvent",
            "decode",
            "encode",
            "upcast",
        ),
        "batuta.events.conversation": (
            "AssistantMessage",
            "Attachment",
            "Citation",
            "Complete",
            "ContentRefused",
            "ErrorOccurred",
            "FeedbackGiven",
            "SessionEnd",
            "SessionStart",
            "Thinking",
            "TitleChanged",
            "TurnPaused",
            "UserMessage",
        ),
        "batuta.events.costs": ("Costs", "NO_TOOL", "costs_of"),
        "batuta.events.datasets": ("ChartDrawn", "DatasetStored"),
        "batuta.events.emitter": (
            "Emitter",
            "Stamp",
        ),
        "batuta.events.envelope": ("Event",),
        "batuta.events.observers": ("FanOutSink", "FilterSink"),
        "batuta.events.normalizer": ("normalize",),
        "batuta.events.plans": (
            "AgentChanged",
            "AgentHandoff",
            "AgentIdentity",
            "PlanCompleted",
            "PlanGenerated",
            "PlanStepCompleted",
            "PlanStepStarted",
            "PlannedStep",
        ),
        "batuta.events.progress": (
            "ContentDelta",
            "FileProgress",
            "JobProgress",
            "StepProgress",
            "StreamDiscarded",
            "TagCompleted",
            "TagStarted",
            "ThinkingDelta",
            "ToolProgress",
        ),
        "batuta.events.routing": (
            "Audience",
            "Persistence",
            "ROUTES",
            "Route",
            "add_route",
            "is_internal",
        ),
        "batuta.events.runtime": (
            "AttemptRejected",
            "BreakerChanged",
            "BudgetRefused",
            "EffectAbandoned",
            "EffectIntended",
            "EffectRecorded",
            "LimiterThrottled",
            "LlmExchanged",
            "LlmRequest",
            "LlmResponse",
            "ToolRefused",
            "TurnResumed",
            "TurnStarted",
        ),
        "batuta.events.sink": (
            "EventSink",
            "Recorder",
        ),
        "batuta.events.steps": ("HookFailed", "StepCompleted", "StepFailed", "StepStarted"),
        "batuta.events.telemetry": (
            "AgentDecisionRecorded",
            "AgentExecutionCompleted",
            "AgentExecutionFailed",
            "AgentExecutionStarted",
            "AgentFallbackTriggered",
            "AgentPipelineCompleted",
            "AgentPipelineStarted",
            "AgentRetryAttempted",
        ),
        "batuta.events.tools": (
            "ApprovalRequested",
            "ApprovalResolved",
            "ToolRequest",
            "ToolResponse",
        ),
        "batuta.kernel.usage": ("Usage",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
