/** A source, opened at the place that was cited. */

import { ExternalLink, Quote } from "lucide-react";
import { useEffect, useState } from "react";

import { Pill } from "../../components/pill";
import { Sheet } from "../../components/sheet";
import {
  type AssistantMessageItem,
  type Citation,
  namedSource,
  stepBehind,
  type TurnView,
} from "../../events";
import { useText } from "../../lib/i18n";
import { type Passage, passageAt, passageIn, textsOf } from "../../lib/passage";
import { safeUrl } from "../../lib/safe";
import { api } from "../../transport/api";
import { useChannel } from "../../transport/channel";
import { useNamings } from "../../transport/directory";
import { ColleagueWork } from "./colleague-work";
import { DocumentBody, type DocumentPlace } from "./document-body";
import { MarkedText } from "./marked-text";

export interface SourcePanelProps {
  readonly sessionId: string;
  readonly answer: AssistantMessageItem;
  /** Which of its citations, counted from 0. */
  readonly number: number;
  readonly turn: TurnView;
  readonly onClose: () => void;
}

/** Where the quoted words stand in what the tools of the turn brought. */
const foundIn = (turn: TurnView, citation: Citation): Passage | null => {
  for (const item of turn.items) {
    if (item.kind !== "tool" || item.content === null) continue;
    for (const text of textsOf(item.content, citation.source)) {
      const passage = passageIn(text, citation.quote);
      if (passage !== null) return passage;
    }
  }
  return null;
};

/** The document around the quoted words, from the server; null until it is there, or if it is not to be had. */
const useCited = (sessionId: string, messageId: string | null, number: number): Passage | null => {
  const [passage, setPassage] = useState<Passage | null>(null);
  useEffect(() => {
    if (messageId === null) return;
    api.source(sessionId, messageId, number).then(
      ({ text, start, end }) =>
        text !== null && start !== null && end !== null && setPassage(passageAt(text, start, end)),
      () => undefined,
    );
  }, [sessionId, messageId, number]);
  return passage;
};

const SourcePanel = ({ sessionId, answer, number, turn, onClose }: SourcePanelProps) => {
  const t = useText();
  const namings = useNamings(useChannel((state) => state.view.agents));
  const citation = answer.citations[number];
  if (citation === undefined) return null;
  const { title, place } = namedSource(citation, turn, namings);
  const step = stepBehind(citation, turn);
  return (
    <Sheet isOpen onClose={onClose} title={title} closeLabel={t.common.close} className="max-w-2xl">
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        {step === undefined ? (
          <Document {...{ sessionId, answer, number, turn, citation, place }} />
        ) : (
          <ColleagueWork step={step} name={title} />
        )}
      </div>
    </Sheet>
  );
};

const DRAWN = /\.(?:pdf|csv|tsv|xlsx)$/i;

/** A document that is more than its text: it is shown as its page or its table. */
const drawnPlace = ({ document_id, source, start, end }: Citation): DocumentPlace | null =>
  document_id === null || !DRAWN.test(source) ? null : { document_id, start, end };

interface DocumentProps extends Pick<SourcePanelProps, "sessionId" | "answer" | "number" | "turn"> {
  readonly citation: Citation;
  readonly place: string;
}

const Document = ({ sessionId, answer, number, turn, citation, place }: DocumentProps) => {
  const t = useText();
  const passage = useCited(sessionId, answer.message_id, number) ?? foundIn(turn, citation);
  const url = safeUrl(citation.url);
  const pdf = drawnPlace(citation);
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <Pill className="max-w-full">
          <span className="truncate">{citation.source}</span>
        </Pill>
        {place !== "" && (
          <Pill tone="accent" className="max-w-full">
            <span className="truncate">{place}</span>
          </Pill>
        )}
      </div>
      {citation.quote !== "" && (
        <blockquote className="bg-accent-soft mt-4 flex gap-3 rounded-xl px-4 py-3 text-[0.9375rem] leading-relaxed">
          <Quote aria-hidden="true" className="text-accent mt-1 size-4 shrink-0" />
          <span className="min-w-0 break-words whitespace-pre-wrap">{citation.quote}</span>
        </blockquote>
      )}
      {pdf !== null ? (
        <div className="mt-5">
          <DocumentBody place={pdf} />
        </div>
      ) : (
        passage !== null && <InContext passage={passage} />
      )}
      {url !== null && (
        <a
          href={url}
          target="_blank"
          rel="noopener noreferrer"
          className="text-accent mt-5 inline-flex items-center gap-1.5 text-sm font-medium hover:underline"
        >
          <ExternalLink className="size-4" /> {t.sources.open}
        </a>
      )}
    </>
  );
};

const InContext = ({ passage }: { readonly passage: Passage }) => {
  const t = useText();
  return (
    <>
      <h3 className="text-faint mt-6 mb-2 text-xs font-medium">{t.sources.inContext}</h3>
      <MarkedText passage={passage} />
    </>
  );
};

export default SourcePanel;
