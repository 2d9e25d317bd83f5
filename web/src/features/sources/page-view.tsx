/** Pages of a PDF as pictures, one at a time, with the quoted words marked where they stand. */

import { ChevronLeft, ChevronRight } from "lucide-react";
import { useEffect, useRef, useState } from "react";

import { IconButton } from "../../components/icon-button";
import { Notice } from "../../components/notice";
import { Skeleton } from "../../components/skeleton";
import { useFileText } from "../../lib/i18n/files";
import { filesApi } from "../../transport/files";
import type { PageView as Page } from "../../transport/generated-api";

export interface PageViewProps {
  readonly document_id: string;
  /** The page to begin with. */
  readonly first: number;
  readonly words: string;
}

export const PageView = ({ document_id, first, words }: PageViewProps) => {
  const t = useFileText();
  const [number, setNumber] = useState(first);
  const [page, setPage] = useState<Page | "missing" | null>(null);
  useEffect(() => {
    let isWanted = true;
    const show = (next: Page | "missing"): void => {
      if (isWanted) setPage(next);
    };
    filesApi.drawn(document_id, number, number === first ? words : "").then(show, () => show("missing"));
    return () => {
      isWanted = false;
    };
  }, [document_id, number, first, words]);
  if (page === "missing") return <Notice tone="warn">{t.unreadable}</Notice>;
  if (page === null) return <Skeleton className="aspect-[1/1.4] w-full" />;
  const isTurning = page.number !== number;
  return (
    <figure className="flex flex-col gap-2">
      <div className="flex items-center justify-center gap-2">
        <IconButton
          label={t.previousPage}
          size="small"
          disabled={number <= 1}
          onClick={() => setNumber(number - 1)}
        >
          <ChevronLeft className="size-4" />
        </IconButton>
        <figcaption aria-live="polite" className="text-muted text-xs tabular-nums">
          {t.page(number, page.pages)}
        </figcaption>
        <IconButton
          label={t.nextPage}
          size="small"
          disabled={number >= page.pages}
          onClick={() => setNumber(number + 1)}
        >
          <ChevronRight className="size-4" />
        </IconButton>
      </div>
      <Picture page={page} isFaint={isTurning} />
    </figure>
  );
};

const Picture = ({ page, isFaint }: { readonly page: Page; readonly isFaint: boolean }) => {
  const t = useFileText();
  const mark = useRef<HTMLElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has its marks elsewhere
  useEffect(() => {
    void mark.current?.scrollIntoView({ block: "center" });
  }, [page]);
  return (
    <div
      className={`border-line relative overflow-hidden rounded-xl border bg-white ${isFaint ? "opacity-60" : ""}`}
    >
      <img
        src={`data:image/png;base64,${page.png}`}
        width={page.width}
        height={page.height}
        alt={t.page(page.number, page.pages)}
        className="block h-auto w-full"
      />
      {page.marks.map(([left, top, width, height], index) => (
        <mark
          key={`${left}-${top}`}
          ref={index === 0 ? mark : undefined}
          title={t.marked}
          className="absolute rounded-xs bg-amber-300/45 ring-1 ring-amber-500/70"
          style={{
            left: `${left * 100}%`,
            top: `${top * 100}%`,
            width: `${width * 100}%`,
            height: `${height * 100}%`,
          }}
        >
          <span className="sr-only">{t.marked}</span>
        </mark>
      ))}
    </div>
  );
};
