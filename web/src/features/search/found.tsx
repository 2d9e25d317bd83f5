/** What was found, with its words marked. */

import { FileText, MessageSquare } from "lucide-react";
import type { ReactNode } from "react";

import { Pill } from "../../components/pill";
import { relative } from "../../lib/format";
import { useLocale, useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { piecesOf } from "../../lib/passage";
import { useNow } from "../../lib/use-now";
import type { FoundMessage, FoundPassage, FoundSession } from "../../transport/generated-api";

type Highlights = FoundPassage["highlights"];

const Marked = ({ text, highlights }: { readonly text: string; readonly highlights: Highlights }) =>
  piecesOf(text, highlights).map(({ text: piece, start, isMatch }) =>
    isMatch ? (
      <mark key={start} className="bg-warn-soft text-ink rounded">
        {piece}
      </mark>
    ) : (
      piece
    ),
  );

const Group = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section aria-label={title}>
    <h2 className="text-muted mb-2 text-xs font-medium">{title}</h2>
    <ul className="flex flex-col gap-2">{children}</ul>
  </section>
);

interface HitProps {
  readonly head: ReactNode;
  readonly onOpen: () => void;
  readonly children: ReactNode;
}

const Hit = ({ head, onOpen, children }: HitProps) => (
  <li>
    <button
      type="button"
      onClick={onOpen}
      className="border-line bg-raised hover:bg-hover block w-full rounded-xl border px-4 py-3 text-left transition-colors"
    >
      <span className="text-muted flex items-center gap-2 text-xs">{head}</span>
      <span className="mt-1.5 line-clamp-4 block text-sm leading-relaxed break-words whitespace-pre-line">
        {children}
      </span>
    </button>
  </li>
);

export const FoundDocument = ({
  passages,
  onOpen,
}: {
  readonly passages: readonly FoundPassage[];
  readonly onOpen: (passage: FoundPassage) => void;
}) => {
  const t = useFileText();
  if (passages.length === 0) return null;
  return (
    <Group title={t.documents}>
      {passages.map((passage) => (
        <Hit
          key={`${passage.document_id}-${passage.start}`}
          onOpen={() => onOpen(passage)}
          head={
            <>
              <FileText aria-hidden="true" className="text-accent size-4 shrink-0" />
              <span className="text-ink min-w-0 truncate font-medium">{passage.name}</span>
              <span className="min-w-0 truncate">{passage.place}</span>
              {!passage.is_own && <Pill>{t.shared}</Pill>}
            </>
          }
        >
          <Marked text={passage.text} highlights={passage.highlights} />
        </Hit>
      ))}
    </Group>
  );
};

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
