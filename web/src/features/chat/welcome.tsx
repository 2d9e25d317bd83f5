/** Before the first message: who is there and what can be asked. */

import { CornerDownRight } from "lucide-react";

import { AgentAvatar } from "../../components/agent-avatar";
import { Logo } from "../../components/logo";
import { Skeleton } from "../../components/skeleton";
import { useLocale, useText } from "../../lib/i18n";
import { useAccount } from "../../transport/account";
import type { Agent } from "../../transport/api-types";
import { useDirectory } from "../../transport/directory";

const MOST_EXAMPLES = 3;

export const Welcome = ({ onAsk }: { readonly onAsk: (text: string) => void }) => {
  const t = useText();
  const name = useAccount((state) => state.me?.user.name ?? "");
  const { agents, status } = useDirectory();
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4">
      <div className="mx-auto flex min-h-full w-full max-w-3xl flex-col justify-center py-8">
        <Logo className="size-11" />
        <h1 className="mt-5 text-[1.625rem] leading-tight font-semibold tracking-[-0.02em]">
          {t.welcome.hello(name.split(" ")[0] ?? "")}
        </h1>
        <p className="text-muted mt-1.5 max-w-xl">{t.welcome.lead}</p>
        <div className="mt-7 grid gap-3 sm:grid-cols-2 sm:[&>*:last-child:nth-child(odd)]:col-span-2">
          {status === "loading" &&
            ["a", "b", "c", "d"].map((key) => <Skeleton key={key} className="h-40 rounded-card" />)}
          {agents.map((agent) => (
            <AgentCard key={agent.agent_id} agent={agent} onAsk={onAsk} />
          ))}
        </div>
      </div>
    </div>
  );
};

const AgentCard = ({ agent, onAsk }: { readonly agent: Agent; readonly onAsk: (text: string) => void }) => {
  const { language } = useLocale();
  const examples = agent.examples[language] ?? agent.examples["en"] ?? [];
  return (
    <section
      aria-label={agent.name}
      className="border-line bg-raised shadow-card flex flex-col rounded-card border p-4"
    >
      <div className="flex items-center gap-3">
        <AgentAvatar {...agent} size="large" />
        <div className="min-w-0">
          <h2 className="text-[0.9375rem] font-semibold tracking-tight">{agent.name}</h2>
          <p className="text-muted line-clamp-2 text-[0.8125rem] leading-snug">{agent.description}</p>
        </div>
      </div>
      <div className="mt-3 -mx-2 -mb-1.5 flex flex-col">
        {examples.slice(0, MOST_EXAMPLES).map((example) => (
          <button
            key={example}
            type="button"
            onClick={() => onAsk(example)}
            className="group hover:bg-hover flex items-start gap-2 rounded-lg px-2 py-1.5 text-left text-sm leading-snug transition-colors"
          >
            <CornerDownRight className="text-faint group-hover:text-accent mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0">{example}</span>
          </button>
        ))}
      </div>
    </section>
  );
};
