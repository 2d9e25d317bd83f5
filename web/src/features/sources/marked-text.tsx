/** A text with the quoted words marked and in view. */

import { useEffect, useRef } from "react";

import type { Passage } from "../../lib/passage";

export const MarkedText = ({ passage }: { readonly passage: Passage }) => {
  const mark = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: in a longer text the words stand elsewhere
  useEffect(() => {
    // Browsers may answer with a promise, which React would take for a clean-up.
    void mark.current?.scrollIntoView({ block: "center" });
  }, [passage]);
  return (
    <p className="border-line bg-raised rounded-xl border px-4 py-3 text-sm leading-relaxed break-words whitespace-pre-wrap">
      {passage.before}
      {passage.quote !== "" && (
        <mark ref={mark} className="bg-warn-soft text-ink rounded px-0.5 ring-1 ring-warn/40">
          {passage.quote}
        </mark>
      )}
      {passage.after}
    </p>
  );
};
