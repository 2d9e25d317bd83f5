/** A session in the list: title, state, and a menu. */

import clsx from "clsx";

import type { Tone } from "../../components/pill";
import { StatusDot } from "../../components/status-dot";
import { shortAgo } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { plainText } from "../../lib/words";
import type { SessionStatus, SessionSummary } from "../../transport/api-types";
import { SessionMenu } from "./session-menu";

const TONES: Readonly<Record<Exclude<SessionStatus, "idle">, Tone>> = {
  running: "accent",
  queued: "neutral",
  waiting: "warn",
};

export interface SessionRowProps {
  readonly session: SessionSummary;
  readonly isCurrent: boolean;
  readonly isTabStop: boolean;
  readonly now: number;
  readonly onOpen: () => void;
  readonly onRename: () => void;
  readonly onArchive: () => void;
  readonly onDelete: () => void;
}

export const SessionRow = (props: SessionRowProps) => {
  const { session, isCurrent, isTabStop, now, onOpen } = props;
  const t = useText();
  const locale = useLocale();
  const title = session.title ?? t.sessions.untitled;
  return (
    <li
      className={clsx(
        "group relative flex items-center rounded-lg transition-colors",
        isCurrent ? "bg-hover" : "hover:bg-hover/70",
      )}
    >
      <a
        href={`/s/${session.session_id}`}
        data-roving=""
        tabIndex={isTabStop ? 0 : -1}
        aria-current={isCurrent ? "page" : undefined}
        onClick={(event) => {
          if (event.metaKey || event.ctrlKey || event.shiftKey) return;
          event.preventDefault();
          onOpen();
        }}
        className="min-w-0 flex-1 rounded-lg px-2.5 py-2 pointer-coarse:pr-9"
      >
        <span className="mr-6.5 flex items-center gap-2 pointer-coarse:mr-0">
          {session.status !== "idle" && (
            <StatusDot
              tone={TONES[session.status]}
              label={t.sessions.statuses[session.status]}
              isLive={session.status === "running"}
            />
          )}
          <span className={clsx("min-w-0 flex-1 truncate text-sm", isCurrent && "font-medium")}>{title}</span>
        </span>
        <span className="text-faint flex items-center gap-2 text-xs">
          <span className="min-w-0 flex-1 truncate">{plainText(session.preview ?? "")}</span>
          <time
            dateTime={session.updated_at}
            className="shrink-0 tabular-nums group-focus-within:invisible group-hover:invisible pointer-coarse:visible!"
          >
            {shortAgo(session.updated_at, now, locale) ?? t.sessions.now}
          </time>
        </span>
      </a>
      <SessionMenu {...props} title={title} />
    </li>
  );
};
