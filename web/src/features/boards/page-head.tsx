/** The head of a page of boards: its title, and what can be done. */

import { PanelLeft } from "lucide-react";
import type { ReactNode } from "react";

import { IconButton } from "../../components/icon-button";
import { useText } from "../../lib/i18n";

export interface PageHeadProps {
  readonly title: string;
  /** Shows the sidebar; null while it is there. */
  readonly onSidebar: (() => void) | null;
  readonly children: ReactNode;
}

export const PageHead = ({ title, onSidebar, children }: PageHeadProps) => {
  const t = useText();
  return (
    <header className="border-line flex h-14 shrink-0 items-center gap-1 border-b px-3 sm:px-4">
      {onSidebar !== null && (
        <IconButton label={t.sessions.show} onClick={onSidebar}>
          <PanelLeft className="size-4.5" />
        </IconButton>
      )}
      <h2 className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold tracking-tight">{title}</h2>
      {children}
    </header>
  );
};
