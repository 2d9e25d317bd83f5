/** Which of one's documents a question is about: all of them, those of a folder, or single files. */

import clsx from "clsx";
import { FolderSearch } from "lucide-react";
import { lazy, Suspense } from "react";

import { Menu } from "../../../components/menu";
import type { Attachment } from "../../../events";
import { useText } from "../../../lib/i18n";

const ScopeChoices = lazy(() => import("./scope-choices"));

export interface ScopePickerProps {
  /** The folder that is searched; nothing for all documents. */
  readonly folder: string | null;
  readonly onFolder: (folder: string | null) => void;
  readonly onFile: (file: Attachment) => void;
}

export const ScopePicker = (props: ScopePickerProps) => {
  const t = useText();
  const { folder } = props;
  return (
    <Menu
      align="start"
      side="top"
      label={t.composer.scope}
      className="w-72 max-w-[calc(100vw-2rem)]"
      trigger={
        <button
          type="button"
          aria-label={`${t.composer.scope}: ${folder ?? t.composer.everything}`}
          className={clsx(
            "hover:bg-hover hover:text-ink inline-flex h-8 min-w-8 items-center justify-center gap-1.5 rounded-lg px-2 text-[0.8125rem] font-medium transition-colors",
            folder === null ? "text-muted" : "text-accent bg-accent-soft",
          )}
        >
          <FolderSearch className="size-4 shrink-0" />
          {folder !== null && <span className="max-w-32 truncate">{folder}</span>}
        </button>
      }
    >
      <Suspense>
        <ScopeChoices {...props} />
      </Suspense>
    </Menu>
  );
};
