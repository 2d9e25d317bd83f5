"""Part of the product: doubles and conformance suites for those who build on Batuta."""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.testing.clock import FakeClock as FakeClock
    from batuta.testing.crashes import CrashReport as CrashReport
    from batuta.testing.crashes import crash_matrix as crash_matrix
    from batuta.testing.isolation import AskedStep as AskedStep
    from batuta.testing.isolation import run_alone as run_alone
    from batuta.testing.models import Reply as Reply
    from batuta.testing.models import ScriptedModel as ScriptedModel
    from batuta.testing.models import ToolCall as ToolCall
    from batuta.testing.models import UnexpectedRequestError as UnexpectedRequestError
    from batuta.testing.sinks import CapturingSink as CapturingSink
    from batuta.testing.tools import ScriptedTools as ScriptedTools

__getattr__, __all__ = lazy_exports(
    __name__,
    {
        "batuta.testing.clock": ("FakeClock",),
        "batuta.testing.crashes": ("CrashReport", "crash_matrix"),
        "batuta.testing.isolation": ("AskedStep", "run_alone"),
        "batuta.testing.models": ("Reply", "ScriptedModel", "ToolCall", "UnexpectedRequestError"),
        "batuta.testing.sinks": ("CapturingSink",),
        "batuta.testing.tools": ("ScriptedTools",),
    },
)
