/** The folders that hold something, one of them chosen. */

import clsx from "clsx";
import { Folder, Search } from "lucide-react";

import { IconButton } from "../../components/icon-button";
import { useFileText } from "../../lib/i18n/files";

export interface FolderBarProps {
  readonly folder: string | null;
  readonly folders: readonly string[];
  readonly onFolder: (folder: string | null) => void;
  readonly onSearch: (folder: string) => void;
}

export const FolderBar = ({ folder, folders, onFolder, onSearch }: FolderBarProps) => {
  const t = useFileText();
  if (folders.length === 0 && folder === null) return null;
  const shown = folder === null || folders.includes(folder) ? folders : [...folders, folder];
  return (
    <nav aria-label={t.folders} className="flex flex-wrap items-center gap-1.5">
      <Choice name={t.all} isChosen={folder === null} onChoose={() => onFolder(null)} />
      {shown.map((each) => (
        <Choice key={each} name={each} isChosen={folder === each} onChoose={() => onFolder(each)} />
      ))}
      {folder !== null && folder !== "" && (
        <IconButton label={t.askFolder} size="small" onClick={() => onSearch(folder)}>
          <Search className="size-4" />
        </IconButton>
      )}
    </nav>
  );
};

interface ChoiceProps {
  readonly name: string;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

const Choice = ({ name, isChosen, onChoose }: ChoiceProps) => (
  <button
    type="button"
    aria-current={isChosen ? "page" : undefined}
    onClick={onChoose}
    className={clsx(
      "inline-flex h-8 max-w-full items-center gap-1.5 rounded-lg border px-2.5 text-[0.8125rem] font-medium transition-colors",
      isChosen ? "bg-accent-soft text-accent border-transparent" : "border-line text-muted hover:bg-hover",
    )}
  >
    <Folder aria-hidden="true" className="size-4 shrink-0" />
    <span className="truncate">{name}</span>
  </button>
);
