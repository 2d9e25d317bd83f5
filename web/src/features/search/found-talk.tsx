/** Sessions and messages that were found. */

import { MessageSquare } from "lucide-react";
import type { ReactNode } from "react";

import { relative } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { useNow } from "../../lib/use-now";
import type { FoundMessage, FoundSession } from "../../transport/generated-api";
import { Group, Hit, Marked } from "./hit";

export interface FoundTalkProps {
  readonly sessions: readonly FoundSession[];
  readonly messages: readonly FoundMessage[];
  readonly onOpen: (id: string, place: number | null) => void;
}

export const FoundTalk = ({ sessions, messages, onOpen }: FoundTalkProps) => {
  const t = useFileText();
  const text = useText();
  const locale = useLocale();
  const now = useNow(30_000);
  if (sessions.length + messages.length === 0) return null;
  const head = (title: string | null, at: string): ReactNode => (
    <>
      <MessageSquare aria-hidden="true" className="size-4 shrink-0" />
      <span className="text-ink min-w-0 flex-1 truncate font-medium">{title ?? text.sessions.untitled}</span>
      <time dateTime={at}>{relative(at, now, locale)}</time>
    </>
  );
  return (
    <Group title={t.conversations}>
      {sessions.map((each) => (
        <Hit
          key={each.session_id}
          onOpen={() => onOpen(each.session_id, null)}
          head={head(each.title, each.updated_at)}
        >
          <Marked text={each.text} highlights={each.highlights} />
        </Hit>
      ))}
      {messages.map((each) => (
        <Hit
          key={`${each.session_id}-${each.sequence_number}`}
          onOpen={() => onOpen(each.session_id, each.sequence_number)}
          head={head(each.session_title, each.created_at)}
        >
          <Marked text={each.text} highlights={each.highlights} />
        </Hit>
      ))}
    </Group>
  );
};
