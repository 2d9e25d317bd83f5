"""The events that a run reports its steps by, imported with the first report: a run that no one hears needs none."""

from batuta.events import AgentPipelineCompleted, AgentPipelineStarted, StepCompleted, StepStarted
from batuta.events.envelope import trusted

step_started, step_completed = trusted(StepStarted), trusted(StepCompleted)
pipeline_started, pipeline_completed = trusted(AgentPipelineStarted), trusted(AgentPipelineCompleted)
