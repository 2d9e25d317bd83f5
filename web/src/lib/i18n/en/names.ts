/** English: what tools, their arguments and events are called. Names that are not here are shown in their own words. */

type Names = Readonly<Record<string, string>>;

export const tools: Names = {
  check_availability: "Check availability",
  create_appointment: "Create appointment",
  move_appointment: "Move appointment",
  cancel_appointment: "Cancel appointment",
  find_appointments: "Find appointments",
  calculate: "Calculate",
  current_time: "Current time",
  convert_time: "Convert time",
  search_documents: "Search documents",
  read_document: "Read document",
};

/** Agents tell their names and descriptions in English. */
export const agents: Names = {};

export const fields: Names = {
  title: "Title",
  start: "Start",
  previous_start: "Previous start",
  duration_minutes: "Duration (minutes)",
  with_whom: "With whom",
  place: "Place",
  request: "Request",
  query: "Query",
  expression: "Expression",
  zone: "Zone",
  file: "File",
  time_of_day: "Time of day",
  from_zone: "From zone",
  to_zone: "To zone",
  uid: "Id",
};

export const events: Names = {
  user_message: "Message",
  assistant_message: "Answer",
  thinking: "Thought",
  turn_paused: "Paused",
  content_refused: "Refused",
  error: "Error",
  complete: "End of the turn",
  title_changed: "Title",
  feedback_given: "Feedback",
  plan_generated: "Plan made",
  plan_step_started: "Step of the plan begins",
  plan_step_completed: "Step of the plan done",
  plan_completed: "Plan done",
  agent_handoff: "Handed over",
  agent_changed: "Agent takes over",
  tool_request: "Tool call",
  tool_use: "Tool call",
  tool_response: "Tool result",
  tool_result: "Tool result",
  dataset_stored: "Table kept",
  chart_drawn: "Chart drawn",
  approval_requested: "Approval asked for",
  approval_resolved: "Approval decided",
  "llm.request": "Model asked",
  "llm.response": "Model answered",
  "attempt.rejected": "Answer rejected",
  "effect.intended": "Effect begins",
  "effect.recorded": "Effect recorded",
  "turn.started": "Turn begins",
  "turn.resumed": "Turn goes on",
  "step.started": "Work begins",
  "step.completed": "Work done",
  "step.failed": "Work failed",
  "agent.execution.started": "Agent begins",
  "agent.execution.completed": "Agent done",
  "agent.execution.failed": "Agent failed",
  "agent.decision.recorded": "Decision",
  "agent.retry.attempted": "Retry",
  "agent.fallback.triggered": "Fallback",
};
