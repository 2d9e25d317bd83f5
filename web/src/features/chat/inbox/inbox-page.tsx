/** The inbox: what waits for a decision of this person, who asks for it and why, and what was decided. */

import { Inbox } from "lucide-react";

import { Button } from "../../../components/button";
import { EmptyState } from "../../../components/empty-state";
import { Skeleton } from "../../../components/skeleton";
import { useText } from "../../../lib/i18n";
import type { Approval } from "../../../transport/api-types";
import { loadInbox, useInbox } from "../../../transport/approvals";
import { InboxEntry } from "./inbox-entry";

const DECIDED_SHOWN = 20;

export interface InboxPageProps {
  readonly onOpenSession: (id: string) => void;
}

const InboxPage = ({ onOpenSession }: InboxPageProps) => {
  const t = useText();
  const { status, items } = useInbox();
  const waiting = items.filter((item) => item.state === "pending");
  const decided = items.filter((item) => item.state !== "pending").slice(0, DECIDED_SHOWN);
  return (
    <section
      aria-label={t.inbox.title}
      tabIndex={0}
      className="min-h-0 flex-1 overflow-y-auto px-4 py-6 outline-offset-[-2px]"
    >
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-3">
        <p className="text-muted text-sm">{t.inbox.lead}</p>
        {status === "loading" && <Skeleton className="h-40 w-full" />}
        {status === "failed" && (
          <EmptyState
            icon={<Inbox className="size-8" />}
            title={t.inbox.failed}
            action={<Button onClick={() => void loadInbox()}>{t.chat.tryAgain}</Button>}
          />
        )}
        {status === "ready" && waiting.length === 0 && (
          <EmptyState
            icon={<Inbox className="size-8" />}
            title={t.inbox.none}
            description={t.inbox.noneHint}
          />
        )}
        <Entries title={t.inbox.waiting} items={waiting} onOpenSession={onOpenSession} />
        <Entries title={t.inbox.decided} items={decided} onOpenSession={onOpenSession} />
      </div>
    </section>
  );
};

export default InboxPage;

interface EntriesProps extends InboxPageProps {
  readonly title: string;
  readonly items: readonly Approval[];
}

const Entries = ({ title, items, onOpenSession }: EntriesProps) =>
  items.length === 0 ? null : (
    <>
      <h2 className="pt-3 text-sm font-semibold">{title}</h2>
      <ul className="flex flex-col gap-4">
        {items.map((item) => (
          <li key={item.approval_id}>
            <InboxEntry approval={item} onOpenSession={onOpenSession} />
          </li>
        ))}
      </ul>
    </>
  );
