/** A panel from the side: navigation on a phone, sources and timelines everywhere. */

import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { useFocus } from "../lib/first-focus";
import { IconButton } from "./icon-button";

export interface SheetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly closeLabel: string;
  readonly side?: "left" | "right";
  readonly isTitleHidden?: boolean;
  readonly actions?: ReactNode;
  readonly className?: string;
  readonly children: ReactNode;
}

const SIDES = {
  left: "left-0 animate-slide-left border-r",
  right: "right-0 animate-slide-right border-l",
} as const;

export const Sheet = ({
  isOpen,
  onClose,
  title,
  closeLabel,
  side = "right",
  isTitleHidden = false,
  actions,
  className,
  children,
}: SheetProps) => {
  const focus = useFocus();
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade fixed inset-0 z-40 bg-black/30" />
        <Radix.Content
          aria-describedby={undefined}
          {...focus}
          className={clsx(
            "bg-canvas border-line shadow-float fixed inset-y-0 z-40 flex w-full flex-col outline-none",
            SIDES[side],
            className,
          )}
        >
          {isTitleHidden ? (
            <Radix.Title className="sr-only">{title}</Radix.Title>
          ) : (
            <header className="border-line flex h-14 shrink-0 items-center gap-2 border-b pr-3 pl-5">
              <Radix.Title className="min-w-0 flex-1 truncate text-[0.9375rem] font-semibold tracking-tight">
                {title}
              </Radix.Title>
              {actions}
              <Radix.Close asChild>
                <IconButton label={closeLabel} size="small">
                  <X className="size-4" />
                </IconButton>
              </Radix.Close>
            </header>
          )}
          <div className="flex min-h-0 flex-1 flex-col">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};
