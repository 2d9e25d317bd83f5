/** The agents the stub pretends to have. */

export const SUPERVISOR = { agent_id: "supervisor", name: "Supervisor", icon: "🎼", color: "#8B5CF6" };

export const AGENTS = [
  {
    agent_id: "appointments",
    name: "Appointments",
    icon: "📅",
    color: "#0EA5E9",
    description: "Arranges meetings, finds conflicts and keeps the calendar",
    capabilities: ["calendar"],
    tools: ["find_slot", "create_appointment"],
    commands: ["/agenda", "/book"],
    examples: {
      en: ["Book a meeting with Dr. Pérez tomorrow at 10am", "What is on my calendar this week?"],
      es: ["Cita mañana a las 10 con el Dr. Pérez", "¿Qué tengo esta semana en la agenda?"],
    },
  },
  {
    agent_id: "documents",
    name: "Documents",
    icon: "📚",
    color: "#F59E0B",
    description: "Finds answers in your documents and shows where they stand",
    capabilities: ["search"],
    tools: ["search_documents"],
    commands: ["/find"],
    examples: {
      en: ["What does the travel policy say about hotels?", "Which clause covers late payment?"],
      es: ["¿Qué dice la política de viajes sobre hoteles?", "¿Qué cláusula trata los pagos atrasados?"],
    },
  },
  {
    agent_id: "calculator",
    name: "Calculator",
    icon: "🧮",
    color: "#10B981",
    description: "Calculates, converts and knows what time it is anywhere",
    capabilities: ["arithmetic"],
    tools: ["calculate", "current_time"],
    commands: ["/calc", "/time"],
    examples: {
      en: ["What is 18.5 % of 2,349.90?", "What time is it in Tokyo?"],
      es: ["¿Cuánto es el 18,5 % de 2.349,90?", "¿Qué hora es en Tokio?"],
    },
  },
] as const;

const faces = [SUPERVISOR, ...AGENTS];

export const identity = (id: string) => {
  const face = faces.find((agent) => agent.agent_id === id) ?? SUPERVISOR;
  return { agent_id: face.agent_id, agent_name: face.name, agent_icon: face.icon, agent_color: face.color };
};
