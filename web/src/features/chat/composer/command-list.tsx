/** The slash commands that match, above the composer. */

import clsx from "clsx";

import { AgentAvatar } from "../../../components/agent-avatar";
import { useText } from "../../../lib/i18n";
import type { SlashCommand } from "./completion";

export interface CommandListProps {
  readonly id: string;
  readonly commands: readonly SlashCommand[];
  readonly active: number;
  readonly onPick: (command: SlashCommand) => void;
}

export const CommandList = ({ id, commands, active, onPick }: CommandListProps) => {
  const t = useText();
  return (
    <div
      id={id}
      role="listbox"
      aria-label={t.composer.commands}
      className="bg-raised border-line shadow-float animate-pop absolute inset-x-0 bottom-full z-20 mb-2 max-h-72 overflow-y-auto rounded-2xl border p-1.5"
    >
      {commands.map((entry, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text field, which keeps the focus
        <div
          key={`${entry.agent.agent_id}${entry.command}`}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === active}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(entry)}
          className={clsx(
            "flex cursor-pointer items-center gap-3 rounded-xl px-2.5 py-2 text-sm",
            index === active ? "bg-hover" : "hover:bg-hover/60",
          )}
        >
          <AgentAvatar {...entry.agent} size="small" />
          <span className="font-mono text-[0.8125rem] font-medium">{entry.command}</span>
          <span className="text-faint truncate text-xs">{entry.agent.description}</span>
        </div>
      ))}
    </div>
  );
};
