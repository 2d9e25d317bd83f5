/** A message that stays: something is wrong, or something should be known. */

import clsx from "clsx";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";

const LOOKS = {
  info: { box: "bg-accent-soft", icon: <Info className="text-accent mt-0.5 size-4 shrink-0" /> },
  warn: { box: "bg-warn-soft", icon: <TriangleAlert className="text-warn mt-0.5 size-4 shrink-0" /> },
  danger: { box: "bg-danger-soft", icon: <CircleAlert className="text-danger mt-0.5 size-4 shrink-0" /> },
} as const;

export interface NoticeProps {
  readonly tone?: keyof typeof LOOKS;
  readonly role?: "alert" | "status";
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export const Notice = ({ tone = "info", role, actions, children }: NoticeProps) => (
  <div role={role} className={clsx("flex gap-2.5 rounded-xl px-3.5 py-3 text-sm", LOOKS[tone].box)}>
    {LOOKS[tone].icon}
    <div className="min-w-0 flex-1 break-words">
      {children}
      {actions !== undefined && <div className="mt-2.5 flex flex-wrap gap-2">{actions}</div>}
    </div>
  </div>
);
