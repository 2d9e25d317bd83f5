/** One file: its name, how it stands, why it failed, and what can be done with it. */

import { FileText } from "lucide-react";

import { Pill, type Tone } from "../../components/pill";
import { ProgressBar } from "../../components/progress-bar";
import { relative } from "../../lib/format";
import { useLocale } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { bytes } from "../../lib/sizes";
import { useNow } from "../../lib/use-now";
import type { FileView } from "../../transport/generated-api";
import { FileActions, type FileActionsProps } from "./file-actions";

export interface FileRowProps extends FileActionsProps {
  readonly percent: number;
  readonly isFolderShown: boolean;
  readonly onOpen: () => void;
}

const TONES: Readonly<Record<FileView["status"], Tone>> = {
  uploading: "warn",
  processing: "accent",
  ready: "ok",
  failed: "danger",
};

export const FileRow = (props: FileRowProps) => {
  const { file, percent, isFolderShown, onOpen } = props;
  const t = useFileText();
  const locale = useLocale();
  const now = useNow(30_000);
  const reading = t.reading(percent);
  return (
    <div data-status={file.status} className="flex items-start gap-3 px-3.5 py-3">
      <FileText aria-hidden="true" className="text-accent mt-0.5 size-5 shrink-0" />
      <div className="min-w-0 flex-1">
        <button
          type="button"
          onClick={onOpen}
          className="block max-w-full truncate text-left text-sm font-medium hover:underline"
        >
          {file.name}
        </button>
        <p className="text-muted mt-0.5 flex flex-wrap gap-x-2 text-xs">
          {isFolderShown && file.folder !== "" && <span className="break-all">{file.folder}/</span>}
          <span>{bytes(file.size_bytes, locale)}</span>
          <time dateTime={file.created_at}>{relative(file.created_at, now, locale)}</time>
        </p>
        {file.status === "failed" && (
          <p className="text-danger mt-1 text-xs">{file.explanation?.[locale.language] ?? t.failed}</p>
        )}
        {file.status === "processing" && <ProgressBar label={reading} percent={percent} />}
      </div>
      <Pill tone={TONES[file.status]}>
        {file.status === "processing" ? reading : t.statuses[file.status]}
      </Pill>
      <FileActions {...props} />
    </div>
  );
};
