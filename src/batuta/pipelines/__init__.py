"""Typed, forward-only pipelines and the runner that wraps every step.

Less common names: for drawings, bounds, batches, a journal, a listener. Code that declares or
runs a plain pipeline does not pay for them; each is imported when it is first used.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.pipelines.batch import Meter as Meter
    from batuta.pipelines.batch import results as results
    from batuta.pipelines.bounds import Bounds as Bounds
    from batuta.pipelines.bounds import anything as anything
    from batuta.pipelines.bounds import in_turn as in_turn
    from batuta.pipelines.bounds import one_execution as one_execution
    from batuta.pipelines.drawing import Drawing as Drawing
    from batuta.pipelines.drawing import Exit as Exit
    from batuta.pipelines.journal import DONE as DONE
    from batuta.pipelines.journaling import Doing as Doing
    from batuta.pipelines.journaling import check_input as check_input
    from batuta.pipelines.journaling import do_once as do_once
    from batuta.pipelines.journaling import fail_again as fail_again
    from batuta.pipelines.journaling import failure_of_step as failure_of_step
    from batuta.pipelines.journaling import forget as forget
    from batuta.pipelines.journaling import is_of_the_run as is_of_the_run
    from batuta.pipelines.journaling import keep_failure as keep_failure
    from batuta.pipelines.journaling import name_in_batch as name_in_batch
    from batuta.pipelines.journaling import settle_cut_off as settle_cut_off
    from batuta.pipelines.journaling import undoing_of as undoing_of
    from batuta.pipelines.outcomes import asking_about as asking_about
    from batuta.pipelines.reporting import pipeline_completed as pipeline_completed
    from batuta.pipelines.reporting import pipeline_started as pipeline_started
    from batuta.pipelines.reporting import step_completed as step_completed
    from batuta.pipelines.reporting import step_started as step_started
    from batuta.pipelines.spending import SpendingCodec as SpendingCodec
    from batuta.pipelines.summaries import summary_of as summary_of

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.pipelines.batch": ("Meter", "results"),
        "batuta.pipelines.bounds": ("Bounds", "anything", "in_turn", "one_execution"),
        "batuta.pipelines.drawing": ("Drawing", "Exit"),
        "batuta.pipelines.journal": ("DONE",),
        "batuta.pipelines.journaling": (
            "Doing",
            "check_input",
            "do_once",
            "fail_again",
            "failure_of_step",
            "forget",
            "is_of_the_run",
            "keep_failure",
            "name_in_batch",
            "settle_cut_off",
            "undoing_of",
        ),
        "batuta.pipelines.outcomes": ("asking_about",),
        "batuta.pipelines.reporting": (
            "pipeline_completed",
            "pipeline_started",
            "step_completed",
            "step_started",
        ),
        "batuta.pipelines.spending": ("SpendingCodec",),
        "batuta.pipelines.summaries": ("summary_of",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
