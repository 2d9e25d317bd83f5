/** Work goes from one agent to another, and why. */

import { ArrowRight } from "lucide-react";

import { AgentAvatar } from "../../../components/agent-avatar";
import { Tooltip } from "../../../components/tooltip";
import type { AgentIdentity, HandoffItem } from "../../../events";
import { useText } from "../../../lib/i18n";
import { useFace } from "./agent-badge";

export const Handoff = ({ item }: { readonly item: HandoffItem }) => {
  const t = useText();
  const reason = t.chat.handoffReasons[item.reason];
  return (
    <div className="text-faint flex items-center gap-3 py-3 text-xs">
      <span className="bg-line h-px flex-1" />
      <Tooltip label={item.explanation ?? reason}>
        <button type="button" className="flex min-w-0 cursor-default items-center gap-2 rounded-full">
          <span className="sr-only">{t.chat.handoff}</span>
          <Party agent={item.from_agent} />
          <ArrowRight aria-hidden="true" className="size-3.5 shrink-0" />
          <Party agent={item.to_agent} />
          <span className="hidden sm:inline">· {reason}</span>
        </button>
      </Tooltip>
      <span className="bg-line h-px flex-1" />
    </div>
  );
};

const Party = ({ agent }: { readonly agent: AgentIdentity }) => {
  const face = useFace(agent.agent_id);
  return (
    <span className="text-muted flex min-w-0 items-center gap-1.5 font-medium">
      <AgentAvatar {...face} size="small" />
      <span className="truncate">{face.name}</span>
    </span>
  );
};
