/** Keys of a shortcut. */

import { isMac, keysOf } from "../lib/hotkeys";

export const Kbd = ({ keys }: { readonly keys: string }) => (
  <span className="inline-flex gap-1">
    {keysOf(keys, isMac()).map((key) => (
      <kbd
        key={key}
        className="bg-sunken border-line text-muted min-w-6 rounded-md border border-b-2 px-1.5 text-center font-sans text-xs leading-5"
      >
        {key}
      </kbd>
    ))}
  </span>
);
