/** Agents in the language of the person. */

import { describe, expect, it } from "vitest";

import { es } from "../../src/lib/i18n/es";
import { chosenModel, type DirectoryState, inWords } from "../../src/transport/directory";

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
  models: ["anthropic:claude-sonnet-4-6", "openai:gpt-5.2"],
};

describe("agents in Spanish", () => {
  const { agents, supervisor, models } = inWords(directory, es.agents);

  it("have their Spanish name and description, and are the same agents", () => {
    expect(agents[0]).toMatchObject({ agent_id: "calculator", name: "Calculadora" });
    expect(agents[0]?.description).toContain("husos horarios");
    expect(supervisor?.agent_id).toBe("supervisor");
    expect(models).toEqual(directory.models);
  });

  it("of a team of one's own keep their own words", () => {
    expect(agents[1]).toEqual(directory.agents[1]);
  });
});

describe("the model that answers", () => {
  const { models } = directory;

  it("is the chosen one, as long as it is offered", () => {
    expect(chosenModel(models, "openai:gpt-5.2")).toBe("openai:gpt-5.2");
    expect(chosenModel(models, "openai:gpt-4")).toBe("anthropic:claude-sonnet-4-6");
    expect(chosenModel(models, null)).toBe("anthropic:claude-sonnet-4-6");
  });
});
