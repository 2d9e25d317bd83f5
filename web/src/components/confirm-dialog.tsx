/** Asks before something that cannot be undone. */

import { AlertDialog as Radix } from "radix-ui";

import { Button } from "./button";

export interface ConfirmDialogProps {
  readonly isOpen: boolean;
  readonly title: string;
  readonly description: string;
  readonly confirmLabel: string;
  readonly cancelLabel: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
}

export const ConfirmDialog = ({
  isOpen,
  title,
  description,
  confirmLabel,
  cancelLabel,
  onConfirm,
  onCancel,
}: ConfirmDialogProps) => (
  <Radix.Root open={isOpen} onOpenChange={(open) => !open && onCancel()}>
    <Radix.Portal>
      <Radix.Overlay className="animate-fade fixed inset-0 z-40 bg-black/35 backdrop-blur-[2px]" />
      <Radix.Content className="bg-raised border-line shadow-float animate-pop fixed top-1/2 left-1/2 z-40 w-[calc(100vw-2rem)] max-w-sm -translate-x-1/2 -translate-y-1/2 rounded-2xl border p-5">
        <Radix.Title className="text-base font-semibold tracking-tight">{title}</Radix.Title>
        <Radix.Description className="text-muted mt-2 text-sm break-words">{description}</Radix.Description>
        <div className="mt-5 flex justify-end gap-2">
          <Radix.Cancel asChild>
            <Button>{cancelLabel}</Button>
          </Radix.Cancel>
          <Radix.Action asChild>
            <Button look="danger" onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </Radix.Action>
        </div>
      </Radix.Content>
    </Radix.Portal>
  </Radix.Root>
);
