/** All shortcuts at a glance. */

import { Dialog } from "../../components/dialog";
import { Kbd } from "../../components/kbd";
import { type Dictionary, useText } from "../../lib/i18n";

/** Each shortcut has a modifier, so that none fires while a person writes or speaks to the page. */
export const SHORTCUTS = {
  newSession: "mod+shift+o",
  search: "mod+k",
  composer: "mod+j",
  stop: "mod+.",
  sidebar: "mod+b",
  settings: "mod+,",
  shortcuts: "mod+/",
} as const satisfies Partial<Record<keyof Dictionary["shortcuts"]["names"], string>>;

const IN_COMPOSER = { send: "enter", newLine: "shift+enter" } as const;

export const ShortcutsDialog = ({ onClose }: { readonly onClose: () => void }) => {
  const t = useText();
  const all = Object.entries({ ...SHORTCUTS, ...IN_COMPOSER }) as [
    keyof Dictionary["shortcuts"]["names"],
    string,
  ][];
  return (
    <Dialog isOpen onClose={onClose} title={t.shortcuts.title} closeLabel={t.common.close}>
      <dl className="divide-line flex flex-col divide-y">
        {all.map(([name, keys]) => (
          <div key={name} className="flex items-center justify-between py-2.5 text-sm">
            <dt>{t.shortcuts.names[name]}</dt>
            <dd>
              <Kbd keys={keys} />
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
};
