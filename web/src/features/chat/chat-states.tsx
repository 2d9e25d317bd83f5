/** A conversation that is being loaded, or is not there. */

import { MessageCircleOff } from "lucide-react";

import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty-state";
import { Skeleton } from "../../components/skeleton";
import { useText } from "../../lib/i18n";

export const ChatSkeleton = () => {
  const t = useText();
  return (
    <div role="status" className="min-h-0 flex-1 overflow-hidden px-4">
      <span className="sr-only">{t.common.loading}</span>
      <div className="mx-auto flex w-full max-w-3xl flex-col gap-4 py-8">
        <Skeleton className="h-11 w-2/5 self-end rounded-2xl" />
        <Skeleton className="h-7 w-40" />
        <Skeleton className="h-4 w-full" />
        <Skeleton className="h-4 w-11/12" />
        <Skeleton className="h-4 w-3/5" />
        <Skeleton className="h-11 w-full rounded-xl" />
        <Skeleton className="mt-4 h-11 w-1/3 self-end rounded-2xl" />
        <Skeleton className="h-4 w-4/5" />
      </div>
    </div>
  );
};

export const SessionMissing = ({ onLeave }: { readonly onLeave: () => void }) => {
  const t = useText();
  return (
    <div className="grid min-h-0 flex-1 place-items-center">
      <EmptyState
        icon={<MessageCircleOff className="size-8" />}
        title={t.chat.missing}
        description={t.chat.missingHint}
        action={
          <Button look="primary" onClick={onLeave}>
            {t.sessions.new}
          </Button>
        }
      />
    </div>
  );
};
