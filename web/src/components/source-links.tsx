/** The sources of an answer as a row of numbered buttons. */

import { BookOpenText } from "lucide-react";

import { Quoted } from "./tooltip";

export interface SourceLinksProps {
  readonly label: string;
  readonly sources: readonly { readonly title: string; readonly place: string; readonly quote: string }[];
  /** Called with the number of a source, counted from 1. */
  readonly onOpen: (number: number) => void;
}

export const SourceLinks = ({ label, sources, onOpen }: SourceLinksProps) => (
  <nav aria-label={label} className="mt-3 flex flex-wrap items-center gap-1.5">
    <BookOpenText aria-hidden="true" className="text-faint size-3.5" />
    {sources.map(({ title, place, quote }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the same place may be cited twice, and its number names it
      <Quoted key={index} quote={quote}>
        <button
          type="button"
          onClick={() => onOpen(index + 1)}
          className="border-line bg-raised hover:bg-hover shadow-card inline-flex max-w-full items-center gap-1.5 rounded-lg border px-2 py-1 text-xs transition-colors sm:max-w-80"
        >
          <span className="text-accent font-semibold tabular-nums">{index + 1}</span>
          <span className="truncate font-medium">{title}</span>
          {place !== "" && <span className="text-faint max-w-44 truncate">{place}</span>}
        </button>
      </Quoted>
    ))}
  </nav>
);
