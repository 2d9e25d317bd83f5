/** The sessions, more of them as one scrolls down. */

import { MessagesSquare, SearchX } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty-state";
import { Skeleton } from "../../components/skeleton";
import { toast } from "../../components/toaster";
import { useText } from "../../lib/i18n";
import { useNow } from "../../lib/use-now";
import { useRoving } from "../../lib/use-roving";
import type { SessionSummary } from "../../transport/api-types";
import { asProblem } from "../../transport/problem";
import {
  changeSession,
  loadMoreSessions,
  searchSessions,
  useSessionList,
} from "../../transport/session-list";
import { FoundMessages, useFoundMessages } from "./found-messages";
import { DeleteSession, RenameSession } from "./session-dialogs";
import { SessionRow } from "./session-row";

export interface SessionListProps {
  readonly currentId: string | null;
  readonly onOpen: (id: string | null, place?: number | null) => void;
}

type Asked = { readonly what: "rename" | "delete"; readonly session: SessionSummary } | null;

export const SessionList = ({ currentId, onOpen }: SessionListProps) => {
  const t = useText();
  const { items, status, query, archived } = useSessionList();
  const found = useFoundMessages(query);
  const now = useNow(30_000);
  const roving = useRoving();
  const [asked, setAsked] = useState<Asked>(null);
  const archive = (session: SessionSummary): void => {
    changeSession(session.session_id, { is_archived: !session.is_archived }).then(
      () => toast(session.is_archived ? t.sessions.unarchived : t.sessions.archived),
      (error: unknown) => toast(asProblem(error).detail, "danger"),
    );
  };
  const stop = items.some((session) => session.session_id === currentId) ? currentId : items[0]?.session_id;

  if (status === "loading" && items.length === 0) return <ListSkeleton />;
  if (status === "failed") return <ListFailed onRetry={() => void searchSessions(query, archived)} />;
  if (items.length === 0 && found === null) return <ListSkeleton />;
  if (items.length === 0 && found?.length === 0) return <ListEmpty isSearch={query !== ""} />;
  return (
    <>
      <ul aria-label={t.sessions.list} onKeyDown={roving} className="flex flex-col gap-px">
        {items.map((session) => (
          <SessionRow
            key={session.session_id}
            session={session}
            isCurrent={session.session_id === currentId}
            isTabStop={session.session_id === stop}
            now={now}
            onOpen={() => onOpen(session.session_id)}
            onRename={() => setAsked({ what: "rename", session })}
            onArchive={() => archive(session)}
            onDelete={() => setAsked({ what: "delete", session })}
          />
        ))}
      </ul>
      <More isLoading={status === "more"} />
      <FoundMessages messages={found ?? []} onOpen={onOpen} />
      {asked?.what === "rename" && <RenameSession session={asked.session} onClose={() => setAsked(null)} />}
      {asked?.what === "delete" && (
        <DeleteSession
          session={asked.session}
          onClose={() => setAsked(null)}
          onDeleted={() => asked.session.session_id === currentId && onOpen(null)}
        />
      )}
    </>
  );
};

/** Asks for the next page when it comes into view. */
const More = ({ isLoading }: { readonly isLoading: boolean }) => {
  const edge = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (edge.current === null) return;
    const observer = new IntersectionObserver(
      ([entry]) => entry?.isIntersecting === true && void loadMoreSessions(),
      {
        rootMargin: "240px",
      },
    );
    observer.observe(edge.current);
    return () => observer.disconnect();
  });
  return <div ref={edge}>{isLoading && <Skeleton className="mt-1 h-12" />}</div>;
};

const ListSkeleton = () => (
  <div className="flex flex-col gap-1.5" aria-hidden="true">
    {["a", "b", "c", "d", "e", "f"].map((key) => (
      <Skeleton key={key} className="h-12" />
    ))}
  </div>
);

const ListFailed = ({ onRetry }: { readonly onRetry: () => void }) => {
  const t = useText();
  return (
    <EmptyState
      icon={<MessagesSquare className="size-6" />}
      title={t.sessions.failed}
      action={
        <Button size="small" onClick={onRetry}>
          {t.chat.tryAgain}
        </Button>
      }
    />
  );
};

const ListEmpty = ({ isSearch }: { readonly isSearch: boolean }) => {
  const t = useText();
  return isSearch ? (
    <EmptyState icon={<SearchX className="size-6" />} title={t.sessions.nothingFound} />
  ) : (
    <EmptyState
      icon={<MessagesSquare className="size-6" />}
      title={t.sessions.none}
      description={t.sessions.noneHint}
    />
  );
};
