/** Messages that hold the words of the search, below the sessions whose titles do. */

import { useEffect, useState } from "react";

import { shortAgo } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { piecesOf } from "../../lib/passage";
import { useNow } from "../../lib/use-now";
import { api } from "../../transport/api";
import type { FoundMessage } from "../../transport/api-types";

/** What was found; null while it is looked for. Who searches by titles alone does not see that messages failed. */
export const useFoundMessages = (query: string): readonly FoundMessage[] | null => {
  const [found, setFound] = useState<{ query: string; messages: readonly FoundMessage[] } | null>(null);
  const words = query.trim();
  useEffect(() => {
    if (words === "") return;
    let isWanted = true;
    const show = (messages: readonly FoundMessage[]): void => {
      if (isWanted) setFound({ query: words, messages });
    };
    api.search(words).then(
      ({ messages }) => show(messages),
      () => show([]),
    );
    return () => {
      isWanted = false;
    };
  }, [words]);
  if (words === "") return [];
  return found?.query === words ? found.messages : null;
};

export interface FoundMessagesProps {
  readonly messages: readonly FoundMessage[];
  readonly onOpen: (id: string, place: number | null) => void;
}

export const FoundMessages = ({ messages, onOpen }: FoundMessagesProps) => {
  const t = useText();
  if (messages.length === 0) return null;
  return (
    <section aria-label={t.sessions.messages} className="mt-3">
      <h2 className="text-faint px-2.5 pb-1 text-xs font-medium">{t.sessions.messages}</h2>
      <ul className="flex flex-col gap-px">
        {messages.map((message) => (
          <li key={`${message.session_id}-${message.sequence_number}`}>
            <Found message={message} onOpen={onOpen} />
          </li>
        ))}
      </ul>
    </section>
  );
};

const Found = ({
  message,
  onOpen,
}: { readonly message: FoundMessage } & Pick<FoundMessagesProps, "onOpen">) => {
  const t = useText();
  const locale = useLocale();
  const now = useNow(30_000);
  const { session_id, sequence_number, session_title, created_at } = message;
  return (
    <a
      href={`/s/${session_id}${sequence_number === null ? "" : `#e${sequence_number}`}`}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onOpen(session_id, sequence_number);
      }}
      className="hover:bg-hover/70 block rounded-lg px-2.5 py-2 transition-colors"
    >
      <span className="text-faint flex gap-2 text-xs">
        <span className="min-w-0 flex-1 truncate">{session_title ?? t.sessions.untitled}</span>
        <time dateTime={created_at}>{shortAgo(created_at, now, locale) ?? t.sessions.now}</time>
      </span>
      <span className="line-clamp-2 text-sm break-words">
        {piecesOf(message.text, message.highlights).map(({ text, start, isMatch }) =>
          isMatch ? (
            <mark key={start} className="bg-warn-soft text-ink rounded">
              {text}
            </mark>
          ) : (
            text
          ),
        )}
      </span>
    </a>
  );
};
