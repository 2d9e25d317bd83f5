/** What a list says when there is nothing in it. */

import type { ReactNode } from "react";

export interface EmptyStateProps {
  readonly icon: ReactNode;
  readonly title: string;
  readonly description?: string;
  readonly action?: ReactNode;
}

export const EmptyState = ({ icon, title, description, action }: EmptyStateProps) => (
  <div className="flex flex-col items-center gap-1.5 px-6 py-10 text-center">
    <span className="text-faint mb-1.5">{icon}</span>
    <p className="text-sm font-medium">{title}</p>
    {description !== undefined && (
      <p className="text-muted max-w-72 text-[0.8125rem] leading-5">{description}</p>
    )}
    {action !== undefined && <div className="mt-3">{action}</div>}
  </div>
);
