/** What the session has used so far, and by whom. */

import { Coins } from "lucide-react";
import { useState } from "react";

import { Popover } from "../../components/popover";
import { Skeleton } from "../../components/skeleton";
import type { SessionView, Usage } from "../../events";
import { count, money, sumOfMoney } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { api } from "../../transport/api";
import type { SessionUsage, UsageShare } from "../../transport/api-types";
import { faceOf, useDirectory } from "../../transport/directory";

const tokensOf = (usage: Usage): number => usage.input + usage.output;

export const UsagePopover = ({
  sessionId,
  view,
}: {
  readonly sessionId: string;
  readonly view: SessionView;
}) => {
  const t = useText();
  const locale = useLocale();
  const [report, setReport] = useState<SessionUsage | "failed" | null>(null);
  const load = (): void => {
    setReport(null);
    api.usage(sessionId).then(setReport, () => setReport("failed"));
  };
  const cost = sumOfMoney(view.turns.map((turn) => turn.cost));
  const tokens = view.turns.reduce((sum, turn) => sum + tokensOf(turn.usage), 0);
  if (tokens === 0) return null;
  return (
    <Popover
      label={t.usage.title}
      onOpen={load}
      trigger={
        <button
          type="button"
          className="text-muted hover:bg-hover hover:text-ink inline-flex h-8 items-center gap-1.5 rounded-lg px-2 text-xs font-medium tabular-nums transition-colors"
        >
          <Coins className="size-4" aria-hidden="true" />
          <span className="sr-only">{t.usage.title}: </span>
          <span className="hidden sm:inline">{t.usage.tokens(count(tokens, locale))}</span>
          {cost !== null && Number(cost) > 0 && (
            <span className="hidden sm:inline">· {money(cost, locale)}</span>
          )}
        </button>
      }
    >
      <h2 className="text-sm font-semibold">{t.usage.title}</h2>
      {report === null && <Skeleton className="mt-3 h-24" />}
      {report === "failed" && <p className="text-muted mt-2 text-sm">{t.common.failed}</p>}
      {report !== null && report !== "failed" && <Details report={report} />}
    </Popover>
  );
};

const Details = ({ report }: { readonly report: SessionUsage }) => {
  const t = useText();
  const locale = useLocale();
  const directory = useDirectory();
  return (
    <>
      <dl className="mt-3 grid grid-cols-2 gap-x-6 gap-y-1.5 text-[0.8125rem]">
        {(["input", "output", "thinking", "cache_read", "cache_write"] as const).map((kind) => (
          <div key={kind} className="flex justify-between">
            <dt className="text-muted">{t.usage.kinds[kind]}</dt>
            <dd className="font-medium tabular-nums">{count(report.usage[kind], locale)}</dd>
          </div>
        ))}
        <div className="flex justify-between">
          <dt className="text-muted">{t.usage.cost}</dt>
          <dd className="font-medium tabular-nums">
            {report.cost === null ? "–" : money(report.cost, locale)}
          </dd>
        </div>
      </dl>
      <Shares
        title={t.usage.byAgent}
        shares={report.by_agent}
        nameOf={(share) => faceOf(share.agent_id ?? "–", directory).name}
      />
      <Shares title={t.usage.byModel} shares={report.by_model} nameOf={(share) => share.model ?? "–"} />
    </>
  );
};

interface SharesProps {
  readonly title: string;
  readonly shares: readonly UsageShare[];
  readonly nameOf: (share: UsageShare) => string;
}

const Shares = ({ title, shares, nameOf }: SharesProps) => {
  const locale = useLocale();
  const most = Math.max(1, ...shares.map((share) => tokensOf(share.usage)));
  if (shares.length === 0) return null;
  return (
    <>
      <h3 className="text-faint mt-4 mb-1.5 text-xs font-medium">{title}</h3>
      {shares.map((share) => (
        <div
          key={nameOf(share)}
          className="grid grid-cols-[7rem_1fr_auto] items-center gap-2.5 py-0.5 text-xs"
        >
          <span className="truncate">{nameOf(share)}</span>
          <span className="bg-sunken h-1.5 overflow-hidden rounded-full">
            <span
              className="bg-accent block h-full rounded-full"
              style={{ width: `${(100 * tokensOf(share.usage)) / most}%` }}
            />
          </span>
          <span className="text-muted tabular-nums">{count(tokensOf(share.usage), locale)}</span>
        </div>
      ))}
    </>
  );
};
