/** Agents in the language of the person. */

import { describe, expect, it } from "vitest";

import { es } from "../../src/lib/i18n/es";
import { type DirectoryState, inWords } from "../../src/transport/directory";

const agent = (name: string, description: string) => ({
  agent_id: name.toLowerCase(),
  name,
  description,
  icon: null,
  color: null,
  capabilities: [],
  tools: [],
  commands: [],
  examples: {},
});

const directory: DirectoryState = {
  status: "ready",
  agents: [
    agent("Calculator", "Exact arithmetic, percentages, the current date and time, and time zones"),
    agent("Payroll", "Explains a payslip"),
  ],
  supervisor: { agent_id: "supervisor", name: "Supervisor", icon: null, color: null },
};

describe("agents in Spanish", () => {
  const { agents, supervisor } = inWords(directory, es.agents);

  it("have their Spanish name and description, and are the same agents", () => {
    expect(agents[0]).toMatchObject({ agent_id: "calculator", name: "Calculadora" });
    expect(agents[0]?.description).toContain("husos horarios");
    expect(supervisor?.agent_id).toBe("supervisor");
  });

  it("of a team of one's own keep their own words", () => {
    expect(agents[1]).toEqual(directory.agents[1]);
  });
});
