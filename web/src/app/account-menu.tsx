/** Who is signed in, and what belongs to them. */

import { ChevronsUpDown, Keyboard, LogOut, Settings2 } from "lucide-react";

import { Menu, MenuItem, MenuSeparator } from "../components/menu";
import { toast } from "../components/toaster";
import { useText } from "../lib/i18n";
import { useAccount } from "../transport/account";
import { leave } from "../transport/lifecycle";
import { asProblem } from "../transport/problem";
import { openSession } from "./router";

export interface AccountMenuProps {
  readonly onSettings: () => void;
  readonly onShortcuts: () => void;
}

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0).toUpperCase())
    .join("");

export const AccountMenu = ({ onSettings, onShortcuts }: AccountMenuProps) => {
  const t = useText();
  const user = useAccount((state) => state.me?.user);
  const signOut = (): void => {
    leave().then(
      () => openSession(null),
      (error: unknown) => toast(asProblem(error).detail, "danger"),
    );
  };
  if (user === undefined) return null;
  return (
    <Menu
      align="start"
      side="top"
      className="w-60"
      trigger={
        <button
          type="button"
          className="hover:bg-hover flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left transition-colors"
        >
          <span
            aria-hidden="true"
            className="bg-accent-soft text-accent grid size-8 shrink-0 place-items-center rounded-full text-xs font-semibold"
          >
            {initialsOf(user.name)}
          </span>
          <span className="min-w-0 flex-1">
            <span className="sr-only">{t.account.menu}</span>
            <span className="block truncate text-sm leading-5 font-medium">{user.name}</span>
            <span className="text-faint block truncate text-xs">{user.email}</span>
          </span>
          <ChevronsUpDown className="text-faint size-4 shrink-0" />
        </button>
      }
    >
      <MenuItem icon={<Settings2 className="size-4" />} onSelect={onSettings}>
        {t.settings.title}
      </MenuItem>
      <MenuItem icon={<Keyboard className="size-4" />} onSelect={onShortcuts}>
        {t.shortcuts.title}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<LogOut className="size-4" />} onSelect={signOut}>
        {t.account.signOut}
      </MenuItem>
    </Menu>
  );
};
