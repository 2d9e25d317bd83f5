/** A call that waits for a person. What is shown is what will be executed. */

import { ShieldCheck } from "lucide-react";

import { Pill, type Tone } from "../../../components/pill";
import type { ApprovalItem } from "../../../events";
import { moment } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { inWords } from "../tool-words";
import { ArgsTable } from "./args-table";
import { DecisionPanel } from "./decision-panel";
import { Expiry } from "./expiry";

const TONES: Readonly<Record<ApprovalItem["state"], Tone>> = {
  pending: "warn",
  approved: "ok",
  edited: "ok",
  rejected: "danger",
  expired: "neutral",
};

export const ApprovalCard = ({ item }: { readonly item: ApprovalItem }) => {
  const t = useText();
  const isPending = item.state === "pending";
  return (
    <section
      aria-label={t.approval.title(inWords(item.tool_name))}
      data-state={item.state}
      className={
        isPending
          ? "border-warn/45 bg-raised shadow-card my-2 overflow-hidden rounded-card border"
          : "border-line bg-raised shadow-card my-2 overflow-hidden rounded-card border"
      }
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-4 pt-3.5 pb-2.5">
        <ShieldCheck aria-hidden="true" className={isPending ? "text-warn size-4.5" : "text-faint size-4.5"} />
        <h3 className="min-w-0 flex-1 truncate text-sm font-semibold">
          {t.approval.title(inWords(item.tool_name))}
        </h3>
        {isPending && item.expires_at !== null && <Expiry at={item.expires_at} />}
        <Pill tone={TONES[item.state]}>{t.approval.states[item.state]}</Pill>
      </header>
      <div className="flex flex-col gap-3 px-4 pb-4">
        {item.reason !== "" && <p className="text-muted text-[0.8125rem]">{item.reason}</p>}
        {item.preview !== null && item.preview !== "" && (
          <p className="bg-sunken border-line rounded-lg border px-3.5 py-2.5 text-sm break-words whitespace-pre-wrap">
            {item.preview}
          </p>
        )}
        {isPending ? (
          <DecisionPanel item={item} />
        ) : (
          <>
            <ArgsTable args={item.decided_args ?? item.args} before={item.decided_args === null ? null : item.args} />
            <Decided item={item} />
          </>
        )}
      </div>
    </section>
  );
};

const Decided = ({ item }: { readonly item: ApprovalItem }) => {
  const t = useText();
  const locale = useLocale();
  return (
    <p className="text-faint text-xs break-words">
      {item.decided_by !== null && item.decided_by !== "" && `${t.approval.by(item.decided_by)} · `}
      {item.decided_at !== null && moment(item.decided_at, locale)}
      {item.decision_reason !== null && item.decision_reason !== "" && ` · “${item.decision_reason}”`}
    </p>
  );
};
