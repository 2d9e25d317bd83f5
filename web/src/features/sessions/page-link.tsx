/** A link to another page of the application. */

import clsx from "clsx";
import type { ReactNode } from "react";

interface PageLinkProps {
  readonly path: string;
  readonly isCurrent: boolean;
  readonly onPage: (path: string) => void;
  readonly children: ReactNode;
}

export const PageLink = ({ path, isCurrent, onPage, children }: PageLinkProps) => (
  <a
    href={path}
    aria-current={isCurrent ? "page" : undefined}
    onClick={(event) => {
      if (event.metaKey || event.ctrlKey || event.shiftKey) return;
      event.preventDefault();
      onPage(path);
    }}
    className={clsx(
      "hover:bg-hover flex h-8 items-center gap-2.5 rounded-lg px-2.5 text-sm transition-colors",
      isCurrent ? "bg-hover font-medium" : "text-muted",
    )}
  >
    {children}
  </a>
);
