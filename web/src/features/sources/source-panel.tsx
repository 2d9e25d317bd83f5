/** A source, opened at the place that was cited. */

import { ExternalLink, Quote } from "lucide-react";
import { useEffect, useRef } from "react";

import { Pill } from "../../components/pill";
import { Sheet } from "../../components/sheet";
import type { Citation, TurnView } from "../../events";
import { useText } from "../../lib/i18n";
import { type Passage, passageIn, textsOf } from "../../lib/passage";
import { safeUrl } from "../../lib/safe";

export interface SourcePanelProps {
  readonly citation: Citation;
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

export const SourcePanel = ({ citation, turn, onClose }: SourcePanelProps) => {
  const t = useText();
  const url = safeUrl(citation.url);
  const passage = foundIn(turn, citation);
  return (
    <Sheet
      isOpen
      onClose={onClose}
      title={citation.title === "" ? citation.source : citation.title}
      closeLabel={t.common.close}
      className="max-w-lg"
    >
      <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">
        <div className="flex flex-wrap items-center gap-2">
          <Pill>{citation.source}</Pill>
          {citation.place !== "" && <Pill tone="accent">{citation.place}</Pill>}
        </div>
        {citation.quote !== "" && (
          <blockquote className="bg-accent-soft mt-4 flex gap-3 rounded-xl px-4 py-3 text-[0.9375rem] leading-relaxed">
            <Quote aria-hidden="true" className="text-accent mt-1 size-4 shrink-0" />
            <span className="min-w-0 break-words whitespace-pre-wrap">{citation.quote}</span>
          </blockquote>
        )}
        {passage !== null && <InContext passage={passage} />}
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
      </div>
    </Sheet>
  );
};

const InContext = ({ passage }: { readonly passage: Passage }) => {
  const t = useText();
  const mark = useRef<HTMLElement>(null);
  useEffect(() => {
    // Browsers may answer with a promise, which React would take for a clean-up.
    void mark.current?.scrollIntoView({ block: "center" });
  }, []);
  return (
    <>
      <h3 className="text-faint mt-6 mb-2 text-xs font-medium">{t.sources.inContext}</h3>
      <p className="border-line bg-raised rounded-xl border px-4 py-3 text-sm leading-relaxed break-words whitespace-pre-wrap">
        {passage.before}
        <mark ref={mark} className="bg-warn-soft text-ink rounded px-0.5 ring-1 ring-warn/40">
          {passage.quote}
        </mark>
        {passage.after}
      </p>
    </>
  );
};
