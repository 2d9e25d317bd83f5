/** One file: its name, how it stands, why it failed, and what can be done with it. */

import {
  Download,
  FileText,
  FolderInput,
  MessageCircleQuestion,
  MoreHorizontal,
  PencilLine,
  RotateCcw,
  Trash2,
} from "lucide-react";

import { IconButton } from "../../components/icon-button";
import { Menu, MenuItem, MenuLink, MenuSeparator } from "../../components/menu";
import { Pill, type Tone } from "../../components/pill";
import { ProgressBar } from "../../components/progress-bar";
import { toast } from "../../components/toaster";
import { bytes, relative } from "../../lib/format";
import { useLocale } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { useNow } from "../../lib/use-now";
import { filesApi } from "../../transport/files";
import type { FileView } from "../../transport/generated-api";
import { asProblem } from "../../transport/problem";
import type { Asked } from "./file-dialogs";

export interface FileRowProps {
  readonly file: FileView;
  readonly percent: number;
  readonly isFolderShown: boolean;
  readonly onOpen: () => void;
  readonly onAsk: () => void;
  readonly onDialog: (what: Asked["what"]) => void;
  readonly onChanged: () => void;
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
      <Actions {...props} />
    </div>
  );
};

const Actions = ({ file, onAsk, onDialog, onChanged }: FileRowProps) => {
  const t = useFileText();
  const retry = (): void => {
    filesApi.process(file.file_id).then(
      () => {
        toast(t.retried);
        onChanged();
      },
      (error: unknown) => toast(asProblem(error).detail, "danger"),
    );
  };
  return (
    <Menu
      trigger={
        <IconButton label={t.actions(file.name)} size="small">
          <MoreHorizontal className="size-4" />
        </IconButton>
      }
    >
      {file.status === "ready" && (
        <MenuItem icon={<MessageCircleQuestion className="size-4" />} onSelect={onAsk}>
          {t.ask}
        </MenuItem>
      )}
      {file.status === "failed" && (
        <MenuItem icon={<RotateCcw className="size-4" />} onSelect={retry}>
          {t.retry}
        </MenuItem>
      )}
      <MenuItem icon={<PencilLine className="size-4" />} onSelect={() => onDialog("rename")}>
        {t.rename}
      </MenuItem>
      <MenuItem icon={<FolderInput className="size-4" />} onSelect={() => onDialog("move")}>
        {t.move}
      </MenuItem>
      {file.status !== "uploading" && (
        <MenuLink icon={<Download className="size-4" />} href={filesApi.content(file.file_id)}>
          {t.download}
        </MenuLink>
      )}
      <MenuSeparator />
      <MenuItem isDanger icon={<Trash2 className="size-4" />} onSelect={() => onDialog("remove")}>
        {t.remove}
      </MenuItem>
    </Menu>
  );
};
