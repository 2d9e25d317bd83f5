/** Who is asked: the team as a whole, or one agent directly. */

import { ChevronDown, Users } from "lucide-react";

import { AgentAvatar } from "../../../components/agent-avatar";
import { Menu, MenuChoice } from "../../../components/menu";
import { useText } from "../../../lib/i18n";
import { useDirectory } from "../../../transport/directory";

export interface AgentPickerProps {
  readonly value: string | null;
  readonly onChange: (agentId: string | null) => void;
}

const TEAM = "";

export const AgentPicker = ({ value, onChange }: AgentPickerProps) => {
  const t = useText();
  const { agents } = useDirectory();
  const chosen = agents.find((agent) => agent.agent_id === value);
  const team = { value: TEAM, content: <Choice name={t.composer.team} hint={t.composer.teamHint} /> };
  return (
    <Menu
      align="start"
      side="top"
      label={t.composer.ask}
      className="w-80 max-w-[calc(100vw-2rem)]"
      trigger={
        <button
          type="button"
          aria-label={`${t.composer.ask}: ${chosen?.name ?? t.composer.team}`}
          className="text-muted hover:bg-hover hover:text-ink inline-flex h-8 min-w-0 items-center gap-1.5 rounded-lg px-2 text-[0.8125rem] font-medium transition-colors"
        >
          {chosen === undefined ? (
            <Users className="size-4 shrink-0" />
          ) : (
            <AgentAvatar {...chosen} size="small" />
          )}
          <span className="truncate">{chosen?.name ?? t.composer.team}</span>
          <ChevronDown className="size-3.5 shrink-0" />
        </button>
      }
    >
      <MenuChoice
        value={value ?? TEAM}
        onChange={(next) => onChange(next === TEAM ? null : next)}
        options={[
          team,
          ...agents.map((agent) => ({
            value: agent.agent_id,
            content: (
              <Choice name={agent.name} hint={agent.description} icon={agent.icon} color={agent.color} />
            ),
          })),
        ]}
      />
    </Menu>
  );
};

interface ChoiceProps {
  readonly name: string;
  readonly hint: string;
  readonly icon?: string | null;
  readonly color?: string | null;
}

const Choice = ({ name, hint, icon, color }: ChoiceProps) => (
  <>
    {icon === undefined ? (
      <span className="bg-sunken text-muted grid size-7 shrink-0 place-items-center rounded-lg">
        <Users className="size-4" />
      </span>
    ) : (
      <AgentAvatar name={name} icon={icon} color={color ?? null} />
    )}
    <span className="min-w-0">
      <span className="block font-medium">{name}</span>
      <span className="text-muted line-clamp-2 block text-xs">{hint}</span>
    </span>
  </>
);
