/** One thing that was found, with its words marked. */

import type { ReactNode } from "react";

import { piecesOf } from "../../lib/passage";
import type { FoundPassage } from "../../transport/generated-api";

type Highlights = FoundPassage["highlights"];

export const Marked = ({ text, highlights }: { readonly text: string; readonly highlights: Highlights }) =>
  piecesOf(text, highlights).map(({ text: piece, start, isMatch }) =>
    isMatch ? (
      <mark key={start} className="bg-warn-soft text-ink rounded">
        {piece}
      </mark>
    ) : (
      piece
    ),
  );

export const Group = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
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

export const Hit = ({ head, onOpen, children }: HitProps) => (
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
