/** Spanish: what tools, their arguments and events are called. */

type Names = Readonly<Record<string, string>>;

export const tools: Names = {
  check_availability: "Consultar disponibilidad",
  create_appointment: "Crear cita",
  move_appointment: "Mover cita",
  cancel_appointment: "Cancelar cita",
  find_appointments: "Buscar citas",
  calculate: "Calcular",
  current_time: "Hora actual",
  convert_time: "Convertir hora",
  search_documents: "Buscar en los documentos",
  read_document: "Leer documento",
};

/** By the English words; an agent whose words are not here is shown in its own. */
export const agents: Names = {
  Agenda: "Agenda",
  "Books, moves, cancels and finds meetings in your calendar, and checks for conflicts":
    "Reserva, mueve, cancela y busca citas en tu calendario, y avisa de los solapamientos",
  Calculator: "Calculadora",
  "Exact arithmetic, percentages, the current date and time, and time zones":
    "Cálculo exacto, porcentajes, fecha y hora actuales, y husos horarios",
  Documents: "Documentos",
  "Answers questions from the documents of the company, with checked citations":
    "Responde a partir de los documentos de la empresa, con citas comprobadas",
  Supervisor: "Supervisor",
};

export const fields: Names = {
  title: "Título",
  start: "Inicio",
  previous_start: "Inicio anterior",
  duration_minutes: "Duración (minutos)",
  with_whom: "Con quién",
  place: "Lugar",
  request: "Petición",
  query: "Consulta",
  expression: "Expresión",
  zone: "Zona horaria",
  file: "Documento",
  time_of_day: "Hora",
  from_zone: "Desde",
  to_zone: "Hasta",
  uid: "Identificador",
};

export const events: Names = {
  user_message: "Mensaje",
  assistant_message: "Respuesta",
  thinking: "Razonamiento",
  turn_paused: "En pausa",
  content_refused: "Rechazado por el modelo",
  error: "Error",
  complete: "Fin del turno",
  title_changed: "Título",
  feedback_given: "Valoración",
  plan_generated: "Plan hecho",
  plan_step_started: "Empieza un paso del plan",
  plan_step_completed: "Paso del plan hecho",
  plan_completed: "Plan terminado",
  agent_handoff: "Pasa de manos",
  agent_changed: "Toma el relevo",
  tool_request: "Llamada a herramienta",
  tool_use: "Llamada a herramienta",
  tool_response: "Resultado de herramienta",
  tool_result: "Resultado de herramienta",
  dataset_stored: "Tabla guardada",
  chart_drawn: "Gráfico dibujado",
  approval_requested: "Se pide aprobación",
  approval_resolved: "Aprobación decidida",
  "llm.request": "Pregunta al modelo",
  "llm.response": "Respuesta del modelo",
  "attempt.rejected": "Respuesta rechazada",
  "effect.intended": "Empieza un efecto",
  "effect.recorded": "Efecto registrado",
  "turn.started": "Empieza el turno",
  "turn.resumed": "El turno continúa",
  "step.started": "Empieza el trabajo",
  "step.completed": "Trabajo hecho",
  "step.failed": "Trabajo fallido",
  "agent.execution.started": "Empieza el agente",
  "agent.execution.completed": "Agente terminado",
  "agent.execution.failed": "Agente fallido",
  "agent.decision.recorded": "Decisión",
  "agent.retry.attempted": "Reintento",
  "agent.fallback.triggered": "Alternativa",
};
