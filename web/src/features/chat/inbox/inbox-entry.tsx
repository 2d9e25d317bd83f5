/** One request in the inbox: who asks, the card to decide on, and the conversation around it. */

import { MessageSquareText } from "lucide-react";

import { Button } from "../../../components/button";
import { Disclosure } from "../../../components/disclosure";
import type { ApprovalItem } from "../../../events";
import { relative } from "../../../lib/format";
import { useLocale, useText } from "../../../lib/i18n";
import { useNow } from "../../../lib/use-now";
import { visible } from "../../../lib/visible";
import type { Approval } from "../../../transport/api-types";
import { loadInbox } from "../../../transport/approvals";
import { ApprovalCard } from "../approval/approval-card";
import { ContextView } from "./context-view";

export interface InboxEntryProps {
  readonly approval: Approval;
  readonly onOpenSession: (id: string) => void;
}

export const InboxEntry = ({ approval, onOpenSession }: InboxEntryProps) => {
  const t = useText();
  const locale = useLocale();
  const now = useNow(30_000);
  const facts = [
    approval.is_mine ? t.inbox.youAsk : t.inbox.asks(visible(approval.asked_by)),
    approval.title === null ? t.sessions.untitled : `“${visible(approval.title)}”`,
    approval.requested_at !== null && relative(approval.requested_at, now, locale),
  ].filter((fact) => fact !== false);
  return (
    <article aria-label={facts[0]}>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="text-muted min-w-0 text-[0.8125rem] break-words">{facts.join(" · ")}</p>
        {approval.is_mine && (
          <Button size="small" look="quiet" onClick={() => onOpenSession(approval.session_id)}>
            <MessageSquareText className="size-3.5" /> {t.inbox.open}
          </Button>
        )}
      </div>
      <ApprovalCard item={itemOf(approval)} onDecided={() => void loadInbox()} />
      <Disclosure
        summaryClassName="text-muted rounded-lg px-1 py-1.5 text-[0.8125rem] hover:bg-hover/60"
        summary={<span>{t.inbox.context}</span>}
      >
        <ContextView approvalId={approval.approval_id} />
      </Disclosure>
    </article>
  );
};

/** The card shows what a conversation would show. */
const itemOf = (approval: Approval): ApprovalItem => ({
  kind: "approval",
  event_id: approval.approval_id,
  timestamp: approval.requested_at ?? "",
  sequence_number: null,
  message_id: null,
  agent_id: approval.agent_id,
  approval_id: approval.approval_id,
  tool_use_id: approval.approval_id,
  tool_name: approval.tool_name,
  args: approval.args,
  preview: approval.preview,
  reason: approval.reason,
  required_role: approval.required_role,
  expires_at: approval.expires_at,
  state: approval.state as ApprovalItem["state"],
  decided_args: approval.decided_args,
  decided_by: approval.decided_by,
  decision_reason: approval.decision_reason,
  decided_at: approval.decided_at,
});
