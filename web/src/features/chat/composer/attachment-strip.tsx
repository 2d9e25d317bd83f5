/** The files of a draft above its text: how far each is, what went wrong with it, and how to take it off. */

import { CircleAlert, FileText, RotateCcw, X } from "lucide-react";

import { IconButton } from "../../../components/icon-button";
import { ProgressBar } from "../../../components/progress-bar";
import { useLocale } from "../../../lib/i18n";
import { useFileText } from "../../../lib/i18n/files";
import { bytes } from "../../../lib/sizes";
import { removeTransfer, resumeWith, type Transfer } from "../../../transport/transfers";

export interface AttachmentStripProps {
  readonly files: readonly Transfer[];
  readonly isHeld: boolean;
}

const AttachmentStrip = ({ files, isHeld }: AttachmentStripProps) => {
  const t = useFileText();
  return (
    <>
      <ul aria-label={t.attached} className="flex flex-wrap gap-2 px-3 pt-3">
        {files.map((file) => (
          <li key={file.id} className="max-w-full">
            <Chip file={file} />
          </li>
        ))}
      </ul>
      {isHeld && (
        <p
          role="status"
          className={`px-4 pt-2 text-xs ${files.some(isTrouble) ? "text-danger" : "text-muted"}`}
        >
          {files.some(isTrouble) ? t.heldBack : t.held}
        </p>
      )}
    </>
  );
};

export default AttachmentStrip;

const Chip = ({ file }: { readonly file: Transfer }) => {
  const t = useFileText();
  const locale = useLocale();
  const reason = file.reason?.[locale.language] ?? file.reason?.[""] ?? t.failed;
  return (
    <div
      data-state={file.state}
      className="border-line bg-sunken flex w-72 max-w-full items-start gap-2.5 rounded-xl border py-2 pr-1.5 pl-3"
    >
      {isTrouble(file) ? (
        <CircleAlert aria-hidden="true" className="text-danger mt-0.5 size-4 shrink-0" />
      ) : (
        <FileText aria-hidden="true" className="text-accent mt-0.5 size-4 shrink-0" />
      )}
      <span className="min-w-0 flex-1">
        <span className="block truncate text-[0.8125rem] leading-5 font-medium">{file.name}</span>
        {isTrouble(file) ? (
          <span role="alert" className="text-danger block text-xs">
            {file.state === "lost" ? t.lost : reason}
          </span>
        ) : (
          <Standing file={file} />
        )}
        {file.state === "lost" && <ChooseAgain file={file} />}
      </span>
      <IconButton label={t.detach(file.name)} size="small" onClick={() => removeTransfer(file.id)}>
        <X className="size-3.5" />
      </IconButton>
    </div>
  );
};

const Standing = ({ file }: { readonly file: Transfer }) => {
  const t = useFileText();
  const locale = useLocale();
  if (file.state === "ready")
    return (
      <span className="text-muted block text-xs">
        {t.ready} · {bytes(file.size_bytes, locale)}
      </span>
    );
  const isSending = file.state === "sending";
  const percent = isSending ? percentSent(file) : file.progress;
  const label = isSending ? t.uploading(percent) : t.reading(percent);
  return (
    <>
      <span className="text-muted block text-xs">{label}</span>
      <ProgressBar label={label} percent={percent} />
    </>
  );
};

const ChooseAgain = ({ file }: { readonly file: Transfer }) => {
  const t = useFileText();
  return (
    <label className="text-accent mt-1 inline-flex cursor-pointer items-center gap-1.5 text-xs font-medium focus-within:underline hover:underline">
      <RotateCcw aria-hidden="true" className="size-3.5" /> {t.chooseAgain}
      <input
        type="file"
        className="sr-only"
        onChange={(event) => {
          const chosen = event.target.files?.[0];
          if (chosen !== undefined) resumeWith(file.id, chosen);
        }}
      />
    </label>
  );
};

const isTrouble = ({ state }: Transfer): boolean => state === "failed" || state === "lost";

const percentSent = ({ sent_bytes, size_bytes }: Transfer): number =>
  size_bytes === 0 ? 100 : Math.floor((100 * sent_bytes) / size_bytes);
