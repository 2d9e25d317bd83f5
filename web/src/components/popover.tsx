/** A small card beside the control that opened it. */

import clsx from "clsx";
import { Popover as Radix } from "radix-ui";
import type { ReactNode } from "react";

export interface PopoverProps {
  readonly trigger: ReactNode;
  readonly label: string;
  readonly className?: string;
  readonly onOpen?: () => void;
  readonly children: ReactNode;
}

export const Popover = ({ trigger, label, className, onOpen, children }: PopoverProps) => (
  <Radix.Root onOpenChange={(open) => open && onOpen?.()}>
    <Radix.Trigger asChild>{trigger}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        aria-label={label}
        align="end"
        sideOffset={6}
        collisionPadding={10}
        className={clsx(
          "bg-raised border-line shadow-float animate-pop z-50 w-80 max-w-[calc(100vw-1.25rem)] rounded-2xl border p-4",
          className,
        )}
      >
        {children}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
