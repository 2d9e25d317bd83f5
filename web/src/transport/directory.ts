/** The agents of this installation and how they show themselves. */

import { create } from "zustand";

import type { AgentIdentity } from "../events";
import { api } from "./api";
import type { Agent, AgentFace } from "./api-types";

export interface DirectoryState {
  readonly status: "loading" | "ready" | "failed";
  readonly agents: readonly Agent[];
  readonly supervisor: AgentFace | null;
}

export const useDirectory = create<DirectoryState>(() => ({
  status: "loading",
  agents: [],
  supervisor: null,
}));

/** Ask the server for its agents. */
export const loadDirectory = async (): Promise<void> => {
  try {
    const { items, supervisor } = await api.agents();
    useDirectory.setState({ status: "ready", agents: items, supervisor });
  } catch {
    useDirectory.setState({ status: "failed" });
  }
};

/** The face of an agent: as the session tells it, or the directory; an unknown one shows its id. */
export const faceOf = (
  id: string,
  { agents, supervisor }: Pick<DirectoryState, "agents" | "supervisor">,
  told: Readonly<Record<string, AgentIdentity>> = {},
): AgentFace => {
  const listed = agents.find((agent) => agent.agent_id === id);
  if (listed !== undefined) return listed;
  if (supervisor?.agent_id === id) return supervisor;
  const identity = told[id];
  return identity === undefined
    ? { agent_id: id, name: id, icon: null, color: null }
    : { agent_id: id, name: identity.agent_name, icon: identity.agent_icon, color: identity.agent_color };
};
