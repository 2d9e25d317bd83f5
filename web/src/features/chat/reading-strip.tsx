/** The files of a message that are still being read: its turn waits for them, and shows how far they are. */

import { Spinner } from "../../components/spinner";
import type { ProgressView, SessionView } from "../../events";
import { useFileText } from "../../lib/i18n/files";

const OPEN: ReadonlySet<string> = new Set(["uploading", "processing"]);

/** Those of a running turn that are not read yet. */
export const filesBeingRead = (view: Pick<SessionView, "progress">): readonly ProgressView[] =>
  view.progress.filter((entry) => entry.kind === "file" && OPEN.has(entry.label));

export const ReadingStrip = ({ view }: { readonly view: SessionView }) => {
  const t = useFileText();
  const open = filesBeingRead(view);
  if (open.length === 0) return null;
  return (
    <ul
      aria-label={t.filesBeingRead}
      className="border-line bg-raised shadow-card mb-2 flex flex-col gap-1 rounded-xl border px-3 py-2 text-[0.8125rem]"
    >
      {open.map((entry) => (
        <li key={entry.key} className="flex items-center gap-2.5">
          <Spinner className="text-accent" />
          <span className="min-w-0 flex-1 truncate">{entry.message}</span>
          <span className="text-muted whitespace-nowrap tabular-nums">
            {t.reading(Math.round((100 * (entry.done ?? 0)) / Math.max(entry.total ?? 100, 1)))}
          </span>
        </li>
      ))}
    </ul>
  );
};
