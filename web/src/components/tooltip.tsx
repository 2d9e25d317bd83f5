/** A word about a control, on hover and focus. */

import { Tooltip as Radix } from "radix-ui";
import type { ReactNode } from "react";

export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Provider delayDuration={350} skipDelayDuration={150}>
    {children}
  </Radix.Provider>
);

export interface TooltipProps {
  readonly label: string;
  readonly hint?: string | undefined;
  readonly children: ReactNode;
}

export const Tooltip = ({ label, hint, children }: TooltipProps) => (
  <Radix.Root>
    <Radix.Trigger asChild>{children}</Radix.Trigger>
    <Radix.Portal>
      <Radix.Content
        sideOffset={6}
        collisionPadding={8}
        className="bg-ink text-canvas animate-fade z-50 max-w-64 rounded-lg px-2.5 py-1.5 text-xs font-medium shadow-float"
      >
        {label}
        {hint !== undefined && <span className="ml-2 opacity-70">{hint}</span>}
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);

const LONGEST_QUOTE = 280;

/** A quotation beside what refers to it, on hover and focus; nothing where there is none. */
export const Quoted = ({ quote, children }: { readonly quote: string; readonly children: ReactNode }) =>
  quote === "" ? (
    children
  ) : (
    <Tooltip label={`“${quote.length > LONGEST_QUOTE ? `${quote.slice(0, LONGEST_QUOTE)}…` : quote}”`}>
      {children}
    </Tooltip>
  );
