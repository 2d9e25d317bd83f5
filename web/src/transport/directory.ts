/** The agents of this installation and how they show themselves. */

import { useMemo } from "react";
import { create } from "zustand";

import type { AgentIdentity, Namings } from "../events";
import { useText } from "../lib/i18n";
import { api } from "./api";
import type { Agent, AgentFace } from "./api-types";

export interface DirectoryState {
  readonly status: "loading" | "ready" | "failed";
  readonly agents: readonly Agent[];
  readonly supervisor: AgentFace | null;
  /** The models one can choose from, the default first; none where there is no choice. */
  readonly models: readonly string[];
}

const useInstalled = create<DirectoryState>(() => ({
  status: "loading",
  agents: [],
  supervisor: null,
  models: [],
}));

/** Ask the server for its agents. */
export const loadDirectory = async (): Promise<void> => {
  try {
    const { items, supervisor, models } = await api.agents();
    useInstalled.setState({ status: "ready", agents: items, supervisor, models });
  } catch {
    useInstalled.setState({ status: "failed" });
  }
};

/** The agents as they are called in the language of the words; one without words keeps its own name. */
export const inWords = (
  { status, agents, supervisor, models }: DirectoryState,
  words: Readonly<Record<string, string>>,
): DirectoryState => ({
  status,
  agents: agents.map((agent) => ({
    ...agent,
    name: words[agent.name] ?? agent.name,
    description: words[agent.description] ?? agent.description,
  })),
  supervisor: supervisor && { ...supervisor, name: words[supervisor.name] ?? supervisor.name },
  models,
});

/** The model that answers: one that is offered no more has given way to the default, which is the first. */
export const chosenModel = (models: readonly string[], wish: string | null): string =>
  models.find((name) => name === wish) ?? models[0] ?? "";

/** The agents, in the language of the person. */
export const useDirectory = (): DirectoryState => {
  const installed = useInstalled();
  const words = useText().agents;
  return useMemo(() => inWords(installed, words), [installed, words]);
};

/** The face of an agent: as the session tells it, or the directory; an unknown one shows its id. */
export const faceOf = (
  id: string,
  { agents, supervisor }: Pick<DirectoryState, "agents" | "supervisor">,
  known: Readonly<Record<string, AgentIdentity>> = {},
): AgentFace => {
  const listed = agents.find((agent) => agent.agent_id === id);
  if (listed !== undefined) return listed;
  if (supervisor?.agent_id === id) return supervisor;
  const identity = known[id];
  return identity === undefined
    ? { agent_id: id, name: id, icon: null, color: null }
    : { agent_id: id, name: identity.agent_name, icon: identity.agent_icon, color: identity.agent_color };
};

/** What sources are called in the language of the person. */
export const useNamings = (known: Readonly<Record<string, AgentIdentity>>): Namings => {
  const directory = useDirectory();
  const line = useText().sources.line;
  return useMemo(
    () => ({ line, agent: (id: string) => faceOf(id, directory, known).name }),
    [line, directory, known],
  );
};
