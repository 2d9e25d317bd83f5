/** Where the focus goes: when something opens to what it is for, when it closes back to where it came from. */

import { useRef } from "react";

const FIELDS = "input:not([type=hidden]), textarea";

/** Handler for a dialog's opening: the field that asks for it, or else the dialog itself. */
const focusInside = (event: Event): void => {
  event.preventDefault();
  const content = event.currentTarget as HTMLElement | null;
  const field = content?.querySelector<HTMLElement>("[data-first]");
  const target = field?.matches(FIELDS) === false ? field.querySelector<HTMLElement>(FIELDS) : field;
  (target ?? content)?.focus();
};

export interface FocusHandlers {
  readonly onOpenAutoFocus: (event: Event) => void;
  readonly onCloseAutoFocus: (event: Event) => void;
}

/** Handlers for a dialog that no button of its own opens: whatever had the focus before gets it back. */
export const useFocus = (): FocusHandlers => {
  const opener = useRef<Element | null>(null);
  return {
    onOpenAutoFocus: (event) => {
      opener.current = document.activeElement;
      focusInside(event);
    },
    onCloseAutoFocus: (event) => {
      event.preventDefault();
      if (opener.current instanceof HTMLElement) opener.current.focus({ preventScroll: true });
    },
  };
};
