"""The steps a pipeline is made of. This list of modules is the index of the manual.

These names are what an agent needs only when it runs, or only if it has tools or tags. Each is imported when it is
first used, so that declaring agents costs little and a run pays for what it uses.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.steps.artefacts import Tag as Tag
    from batuta.steps.execution import AgentExecution as AgentExecution
    from batuta.steps.model_calls import with_run_policies as with_run_policies
    from batuta.steps.tagging import ArtefactStream as ArtefactStream
    from batuta.steps.tagging import with_words as with_words
    from batuta.steps.tool_rounds import ToolRound as ToolRound
    from batuta.steps.toolbox import tools_by_name as tools_by_name
    from batuta.tools.outcome import IntentKeys as IntentKeys

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.steps.artefacts": ("Tag",),
        "batuta.steps.execution": ("AgentExecution",),
        "batuta.steps.model_calls": ("with_run_policies",),
        "batuta.steps.tagging": ("ArtefactStream", "with_words"),
        "batuta.steps.tool_rounds": ("ToolRound",),
        "batuta.steps.toolbox": ("tools_by_name",),
        "batuta.tools.outcome": ("IntentKeys",),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
