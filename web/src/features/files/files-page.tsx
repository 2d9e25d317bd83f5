/** The file manager: folders, files and how far each is, uploads by drop or choice. */

import { FolderOpen, Upload } from "lucide-react";
import { useRef, useState } from "react";

import { Button } from "../../components/button";
import { EmptyState } from "../../components/empty-state";
import { Notice } from "../../components/notice";
import { Skeleton } from "../../components/skeleton";
import type { Attachment } from "../../events";
import { useLocale, useText } from "../../lib/i18n";
import { useFileText } from "../../lib/i18n/files";
import { bytes } from "../../lib/sizes";
import type { FileView } from "../../transport/generated-api";
import { addFiles } from "../../transport/transfers";
import { type Asked, FileDialogs } from "./file-dialogs";
import { FileRow } from "./file-row";
import { FolderBar } from "./folder-bar";
import { UnsentFiles } from "./unsent-files";
import { useFiles } from "./use-files";

export interface FilesPageProps {
  /** The folder that is shown; null for all files. */
  readonly folder: string | null;
  readonly onFolder: (folder: string | null) => void;
  readonly onOpen: (file: FileView) => void;
  readonly onAsk: (file: Attachment) => void;
  readonly onSearch: (folder: string) => void;
}

const FilesPage = ({ folder, onFolder, onOpen, onAsk, onSearch }: FilesPageProps) => {
  const t = useFileText();
  const text = useText();
  const locale = useLocale();
  const input = useRef<HTMLInputElement>(null);
  const [asked, setAsked] = useState<Asked | null>(null);
  const { status, list, progress, reload, more } = useFiles(folder);
  const choose = (): void => input.current?.click();
  const items = list?.items ?? [];
  return (
    <div className="min-h-0 flex-1 overflow-y-auto px-4 py-5">
      <div className="mx-auto flex w-full max-w-4xl flex-col gap-4">
        <header className="flex flex-wrap items-start gap-3">
          <div className="min-w-0 flex-1">
            <h1 className="text-xl font-semibold tracking-tight">{t.title}</h1>
            <p className="text-muted mt-0.5 text-sm">{t.lead}</p>
          </div>
          <input
            ref={input}
            type="file"
            multiple
            hidden
            onChange={(event) => {
              addFiles([...(event.target.files ?? [])], null, folder ?? "");
              event.target.value = "";
            }}
          />
          <Button look="primary" onClick={choose}>
            <Upload className="size-4" /> {t.add}
          </Button>
        </header>
        <FolderBar folder={folder} folders={list?.folders ?? []} onFolder={onFolder} onSearch={onSearch} />
        <UnsentFiles />
        {status === "loading" && <Skeleton className="h-48 w-full" />}
        {status === "failed" && (
          <Notice tone="danger" actions={<Button onClick={reload}>{text.chat.tryAgain}</Button>}>
            {t.loadFailed}
          </Notice>
        )}
        {status === "ready" && items.length === 0 && (
          <EmptyState
            icon={<FolderOpen className="size-9" />}
            title={folder === null ? t.none : t.noneInFolder}
            description={t.noneHint}
            action={<Button onClick={choose}>{t.add}</Button>}
          />
        )}
        {items.length > 0 && (
          <ul aria-label={t.title} className="border-line bg-raised divide-line divide-y rounded-xl border">
            {items.map((file) => (
              <li key={file.file_id}>
                <FileRow
                  file={file}
                  percent={progress[file.file_id] ?? 0}
                  isFolderShown={folder === null}
                  onOpen={() => onOpen(file)}
                  onAsk={() => onAsk(file)}
                  onDialog={(what) => setAsked({ what, file })}
                  onChanged={reload}
                />
              </li>
            ))}
          </ul>
        )}
        {list?.next_cursor != null && <Button onClick={more}>{t.more}</Button>}
        {list !== null && (
          <p className="text-muted text-xs">
            {t.used(bytes(list.used_bytes, locale), bytes(list.quota_bytes, locale))}
          </p>
        )}
      </div>
      {asked !== null && (
        <FileDialogs
          asked={asked}
          folders={list?.folders ?? []}
          onClose={() => setAsked(null)}
          onChanged={reload}
        />
      )}
    </div>
  );
};

export default FilesPage;
