/** Short news at the edge of the page, read aloud and gone by itself. */

import clsx from "clsx";
import { CircleAlert, CircleCheck, X } from "lucide-react";
import { create } from "zustand";

interface Toast {
  readonly id: number;
  readonly tone: "ok" | "danger";
  readonly message: string;
}

const useToasts = create<{ readonly toasts: readonly Toast[] }>(() => ({ toasts: [] }));
const SHOWN_MS = { ok: 3_500, danger: 8_000 } as const;
let lastId = 0;

const dismiss = (id: number): void =>
  useToasts.setState(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) }));

/** Show a message for a while. */
export const toast = (message: string, tone: Toast["tone"] = "ok"): void => {
  const id = ++lastId;
  useToasts.setState(({ toasts }) => ({ toasts: [...toasts.slice(-3), { id, tone, message }] }));
  window.setTimeout(() => dismiss(id), SHOWN_MS[tone]);
};

export const Toaster = ({ dismissLabel }: { readonly dismissLabel: string }) => {
  const toasts = useToasts((state) => state.toasts);
  return (
    <section
      aria-live="polite"
      aria-label={dismissLabel}
      className="pointer-events-none fixed inset-x-0 bottom-4 z-50 flex flex-col items-center gap-2 px-4"
    >
      {toasts.map(({ id, tone, message }) => (
        <div
          key={id}
          className="bg-raised border-line shadow-float animate-rise pointer-events-auto flex max-w-md items-center gap-2.5 rounded-xl border py-2 pr-2 pl-3.5 text-sm"
        >
          {tone === "ok" ? (
            <CircleCheck className="text-ok size-4 shrink-0" />
          ) : (
            <CircleAlert className="text-danger size-4 shrink-0" />
          )}
          <span className="min-w-0 break-words">{message}</span>
          <button
            type="button"
            aria-label={dismissLabel}
            onClick={() => dismiss(id)}
            className={clsx(
              "text-faint hover:bg-hover hover:text-ink grid size-6 place-items-center rounded-md",
            )}
          >
            <X className="size-3.5" />
          </button>
        </div>
      ))}
    </section>
  );
};
