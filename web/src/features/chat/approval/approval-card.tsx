/** A call that waits for a person, or waited. What is shown is what will be executed. */

import { ShieldCheck } from "lucide-react";

import { Disclosure } from "../../../components/disclosure";
import { Notice } from "../../../components/notice";
import { Pill, type Tone } from "../../../components/pill";
import type { ApprovalItem } from "../../../events";
import { clock } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { visible } from "../../../lib/visible";
import { named } from "../../../lib/words";
import { useAccount } from "../../../transport/account";
import { CallArgs } from "./call-args";
import { DecisionPanel } from "./decision-panel";
import { Expiry } from "./expiry";
import { PreviewView } from "./preview-view";

const TONES: Readonly<Record<ApprovalItem["state"], Tone>> = {
  pending: "warn",
  approved: "ok",
  edited: "ok",
  rejected: "danger",
  expired: "neutral",
  set_aside: "neutral",
};

export interface ApprovalCardProps {
  readonly item: ApprovalItem;
  /** Called when the server has taken a decision; a conversation learns of it by itself. */
  readonly onDecided?: () => void;
}

export const ApprovalCard = (props: ApprovalCardProps) =>
  props.item.state === "pending" ? <Pending {...props} /> : <Decided item={props.item} />;

const Pending = ({ item, onDecided }: ApprovalCardProps) => {
  const t = useText();
  const title = t.approval.title(named(item.tool_name, t.tools.names));
  return (
    <section
      aria-label={title}
      data-state={item.state}
      className="border-warn/45 bg-raised shadow-card my-2 overflow-hidden rounded-card border"
    >
      <header className="flex flex-wrap items-center gap-x-2.5 gap-y-1 px-4 pt-3.5 pb-2.5">
        <ShieldCheck aria-hidden="true" className="text-warn size-4.5" />
        <h3 className="min-w-[70%] flex-1 truncate text-sm font-semibold sm:min-w-0">{title}</h3>
        {item.expires_at !== null && <Expiry at={item.expires_at} />}
        <Pill tone={TONES[item.state]}>{t.approval.states[item.state]}</Pill>
      </header>
      <div className="flex flex-col gap-3 px-4 pb-4">
        <p className="text-muted text-[0.8125rem]">
          {isPlainRequest(item) ? t.approval.lead : visible(item.reason)}
        </p>
        {item.required_role !== null && (
          <Notice tone="warn">{t.approval.needsRole(item.required_role)}</Notice>
        )}
        <PreviewView text={item.preview} />
        <DecisionPanel item={item} onDecided={onDecided} />
      </div>
    </section>
  );
};

const Decided = ({ item }: { readonly item: ApprovalItem }) => {
  const t = useText();
  const locale = useLocale();
  const title = t.approval.title(named(item.tool_name, t.tools.names));
  const me = useAccount((state) => state.me?.user.user_id);
  const facts = [
    item.decided_by === me ? t.approval.byYou : isName(item.decided_by) && t.approval.by(item.decided_by),
    item.decided_at !== null && clock(item.decided_at, locale),
    item.decision_reason !== null && item.decision_reason !== "" && `“${visible(item.decision_reason)}”`,
  ].filter((fact) => fact !== false);
  return (
    <section
      aria-label={title}
      data-state={item.state}
      className="border-line bg-raised shadow-card my-1 rounded-xl border"
    >
      <Disclosure
        summaryClassName="px-3 py-2 rounded-xl hover:bg-hover/60 transition-colors"
        summary={
          <>
            <ShieldCheck aria-hidden="true" className="text-faint size-3.5 shrink-0" />
            <span className="flex min-w-0 flex-1 flex-wrap items-center gap-x-2 gap-y-1">
              <span className="max-w-full truncate text-[0.8125rem] font-medium">{title}</span>
              <span className="text-faint min-w-0 flex-1 truncate text-xs">{facts.join(" · ")}</span>
              <Pill tone={TONES[item.state]}>{t.approval.states[item.state]}</Pill>
            </span>
          </>
        }
      >
        <div className="border-line flex flex-col gap-3 border-t px-3 py-3">
          {item.decided_args !== null && <h4 className="text-muted text-xs">{t.approval.asked}</h4>}
          <PreviewView text={item.preview} />
          {item.decided_args !== null && <h4 className="text-muted text-xs">{t.approval.approved}</h4>}
          <CallArgs
            args={item.decided_args ?? item.args}
            before={item.decided_args === null ? null : item.args}
            preview={item.preview}
          />
          {facts.length > 0 && <p className="text-faint text-xs break-words">{facts.join(" · ")}</p>}
        </div>
      </Disclosure>
    </section>
  );
};

/** The reason every request has; one of its own is worth showing. */
const isPlainRequest = ({ reason, tool_name }: ApprovalItem): boolean =>
  reason === "" || (reason.startsWith(`${tool_name} (`) && reason.endsWith(") asks for approval"));

/** The decider may be known only by an id, which says nothing to a reader. */
const isName = (by: string | null): by is string => by !== null && by !== "" && !/^[0-9A-F-]{36}$/i.test(by);
