/** A question in the middle of the page. */

import clsx from "clsx";
import { X } from "lucide-react";
import { Dialog as Radix } from "radix-ui";
import type { ReactNode } from "react";

import { useFocus } from "../lib/first-focus";
import { IconButton } from "./icon-button";

export interface DialogProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly description?: string | undefined;
  readonly closeLabel: string;
  readonly className?: string;
  readonly children: ReactNode;
}

export const Dialog = ({
  isOpen,
  onClose,
  title,
  description,
  closeLabel,
  className,
  children,
}: DialogProps) => {
  const focus = useFocus();
  return (
    <Radix.Root open={isOpen} onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="animate-fade fixed inset-0 z-40 bg-black/35 backdrop-blur-[2px]" />
        <Radix.Content
          {...focus}
          {...(description === undefined ? { "aria-describedby": undefined } : {})}
          className={clsx(
            "bg-raised border-line shadow-float animate-pop fixed top-1/2 left-1/2 z-40 flex max-h-[88dvh] w-[calc(100vw-2rem)] max-w-md -translate-x-1/2 -translate-y-1/2 flex-col rounded-2xl border outline-none",
            className,
          )}
        >
          <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-3">
            <div>
              <Radix.Title className="text-base font-semibold tracking-tight">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description className="text-muted mt-1 text-sm">{description}</Radix.Description>
              )}
            </div>
            <Radix.Close asChild>
              <IconButton label={closeLabel} size="small" className="-mr-1.5">
                <X className="size-4" />
              </IconButton>
            </Radix.Close>
          </header>
          {/* Focusable, so that a record without controls can be scrolled with the keyboard. */}
          <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto px-5 pb-5">
            {children}
          </div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
};
