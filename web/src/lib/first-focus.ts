/** Where the focus goes when something opens: to what it is for, not to the button that closes it. */

const FIELDS = "input:not([type=hidden]), textarea";

/** Handler for a dialog's opening: the field that asks for it, or else the dialog itself. */
export const focusInside = (event: Event): void => {
  event.preventDefault();
  const content = event.currentTarget as HTMLElement | null;
  const field = content?.querySelector<HTMLElement>("[data-first]");
  const target = field?.matches(FIELDS) === false ? field.querySelector<HTMLElement>(FIELDS) : field;
  (target ?? content)?.focus();
};
