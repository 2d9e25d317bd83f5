/** Slash commands as they are typed. Pure. */

import type { Agent } from "../../../transport/api-types";

export interface SlashCommand {
  readonly command: string;
  readonly agent: Agent;
}

/** All commands of all agents, in order. */
export const commandsOf = (agents: readonly Agent[]): readonly SlashCommand[] =>
  agents.flatMap((agent) => agent.commands.map((command) => ({ command, agent })));

/** The commands that what is typed may become; none once the command is written out. */
export const completionsOf = (text: string, commands: readonly SlashCommand[]): readonly SlashCommand[] => {
  if (!/^\/\S*$/.test(text)) return [];
  const typed = text.toLowerCase();
  return commands.filter(({ command }) => command.toLowerCase().startsWith(typed));
};

/** The next place in a list that goes round. */
export const moved = (index: number, by: 1 | -1, length: number): number => (index + by + length) % length;
