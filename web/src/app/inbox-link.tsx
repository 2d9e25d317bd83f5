/** The way to what waits for a decision, with how much that is. */

import clsx from "clsx";
import { Inbox } from "lucide-react";

import { useText } from "../lib/i18n";
import { useInbox, waitingIn } from "../transport/approvals";

export interface InboxLinkProps {
  readonly isCurrent: boolean;
  readonly onPage: (path: string) => void;
}

export const InboxLink = ({ isCurrent, onPage }: InboxLinkProps) => {
  const waiting = useInbox(waitingIn);
  const t = useText();
  return (
    <a
      href="/approvals"
      aria-current={isCurrent ? "page" : undefined}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onPage("/approvals");
      }}
      className={clsx(
        "hover:bg-hover flex h-9 items-center gap-2.5 rounded-[0.625rem] px-3 text-sm transition-colors",
        isCurrent && "bg-hover font-medium",
      )}
    >
      <Inbox aria-hidden="true" className="text-muted size-4" />
      <span className="flex-1">{t.inbox.title}</span>
      {waiting > 0 && (
        <span className="bg-warn-soft text-warn rounded-full px-2 text-xs leading-5 font-semibold tabular-nums">
          <span aria-hidden="true">{waiting}</span>
          <span className="sr-only">{t.inbox.count(waiting)}</span>
        </span>
      )}
    </a>
  );
};
